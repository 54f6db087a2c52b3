//! The Rigol DS1000Z family.
