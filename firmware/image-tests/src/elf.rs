//! What an image's file says: symbols, code, the vector table, sizes.

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use std::path::Path;

/// Why a file is no image.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no ELF file.
    #[error("not an ELF file: {0}")]
    Parse(#[from] object::Error),
    /// It has no such symbol, or more than one.
    #[error("{count} symbols match `{name}`, expected one")]
    Symbol {
        /// What was looked for.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// Nothing is loaded there.
    #[error("nothing is loaded at {0:#x}")]
    Address(u32),
}

/// An image's file.
#[derive(Debug)]
pub struct Elf {
    bytes: Vec<u8>,
}

impl Elf {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// [`ElfError::Read`] or [`ElfError::Parse`].
    pub fn open(path: &Path) -> Result<Elf, ElfError> {
        let bytes = std::fs::read(path)
            .map_err(|source| ElfError::Read { path: path.display().to_string(), source })?;
        object::File::parse(bytes.as_slice())?;
        Ok(Elf { bytes })
    }

    fn file(&self) -> Result<object::File<'_>, ElfError> {
        Ok(object::File::parse(self.bytes.as_slice())?)
    }

    /// Address of the one function whose linker name is `name` or, for a Rust path, contains every part of it in order. The
    /// Thumb bit is cleared.
    ///
    /// # Errors
    /// [`ElfError::Symbol`] unless there is exactly one.
    pub fn function(&self, name: &str) -> Result<u32, ElfError> {
        let mangled: String = name.split("::").map(|part| format!("{}{part}", part.len())).collect();
        let fits = |symbol: &str| symbol == name || (name.contains("::") && symbol.contains(&mangled));
        let file = self.file()?;
        let mut found: Vec<u64> =
            file.symbols().filter(|s| s.name().is_ok_and(&fits)).map(|s| s.address() & !1).collect();
        found.dedup();
        match found.as_slice() {
            [address] => Ok(*address as u32),
            _ => Err(ElfError::Symbol { name: name.to_owned(), count: found.len() }),
        }
    }

    /// The bytes from `address` to the end of what is loaded there.
    ///
    /// # Errors
    /// [`ElfError::Address`] when nothing is.
    pub fn at(&self, address: u32) -> Result<&[u8], ElfError> {
        let file = self.file()?;
        let wanted = u64::from(address);
        for segment in file.segments() {
            let Some(offset) = wanted.checked_sub(segment.address()) else { continue };
            let (start, length) = segment.file_range();
            if offset < length {
                let range = (start + offset) as usize..(start + length) as usize;
                return self.bytes.get(range).ok_or(ElfError::Address(address));
            }
        }
        Err(ElfError::Address(address))
    }

    /// A word of the vector table, Thumb bit cleared.
    ///
    /// # Errors
    /// [`ElfError::Address`] when the table is shorter.
    pub fn vector(&self, word: u32) -> Result<u32, ElfError> {
        let bytes = self.at(word * 4)?.first_chunk::<4>().ok_or(ElfError::Address(word * 4))?;
        Ok(u32::from_le_bytes(*bytes) & !1)
    }

    /// Bytes of flash and bytes of RAM.
    ///
    /// # Errors
    /// [`ElfError::Parse`].
    pub fn sizes(&self) -> Result<(u64, u64), ElfError> {
        let file = self.file()?;
        let flash = file.segments().map(|s| s.file_range().1).sum();
        let ram = file.sections().filter(|s| s.address() >= 0x2000_0000).map(|s| s.size()).sum();
        Ok((flash, ram))
    }
}
