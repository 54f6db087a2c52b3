//! The run folder: evidence on disk, written so that a torn run stays readable, and read back.
//!
//! It refuses to overwrite a run, to change a sealed one, and to read a newer major format version.
