//! The link to the board: typed requests of `latency-protocol` over a byte stream.
