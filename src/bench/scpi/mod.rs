//! SCPI over any transport: text exchanges, binary blocks, transcript.
