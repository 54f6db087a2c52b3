//! The terminal: arguments, one file per verb, progress, exit codes. The only room that prints.
