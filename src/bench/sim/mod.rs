//! The virtual bench: a DS1054Z that answers SCPI bytes and a board that answers UART bytes.
