//! An image as its ELF file gives it: bytes to load, and names for addresses.
//!
//! Refuses files for other machines. Segments go to their *load* address, as a flash tool would put them; copying
//! initialised data to RAM is the image's own work and is executed, not imitated.

use crate::EmulatorError;
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{Architecture, Endianness, Object, ObjectSymbol, SymbolKind};

/// Bytes to put at an address before reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Load address.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A loaded file.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// Segments in file order.
    pub segments: Vec<Segment>,
    /// Names of functions.
    pub symbols: Symbols,
}

impl Image {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`EmulatorError::Elf`] or [`EmulatorError::Machine`].
    pub fn parse(file: &[u8]) -> Result<Image, EmulatorError> {
        let elf = ElfFile32::<Endianness>::parse(file)?;
        if elf.architecture() != Architecture::Arm || !elf.is_little_endian() {
            return Err(EmulatorError::Machine { found: format!("{:?}", elf.architecture()) });
        }
        Ok(Image { segments: segments(&elf)?, symbols: Symbols::of(&elf) })
    }
}

fn segments(elf: &ElfFile32<'_, Endianness>) -> Result<Vec<Segment>, EmulatorError> {
    let endian = elf.endian();
    let mut found = Vec::new();
    for header in elf.elf_program_headers() {
        let bytes = header.data(endian, elf.data()).unwrap_or_default();
        if header.p_type(endian) == PT_LOAD && !bytes.is_empty() {
            found.push(Segment { address: load_address(header, endian), bytes: bytes.to_vec() });
        }
    }
    Ok(found)
}

fn load_address(
    header: &<FileHeader32<Endianness> as object::read::elf::FileHeader>::ProgramHeader,
    endian: Endianness,
) -> u32 {
    header.p_paddr(endian)
}

/// Function names by address.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    by_address: Vec<(u32, u32, String)>,
}

impl Symbols {
    fn of(elf: &ElfFile32<'_, Endianness>) -> Symbols {
        let text = elf.symbols().filter(|s| s.kind() == SymbolKind::Text);
        let mut by_address: Vec<_> = text.filter_map(entry).collect();
        by_address.sort();
        by_address.dedup_by_key(|(address, ..)| *address);
        Symbols { by_address }
    }

    /// The function that `address` lies in, its bare name without the compiler's hash, or `?`.
    #[must_use]
    pub fn name(&self, address: u32) -> &str {
        let next = self.by_address.partition_point(|(start, ..)| *start <= address);
        let found = next.checked_sub(1).and_then(|i| self.by_address.get(i));
        match found {
            Some((start, size, name)) if *size == 0 || address.wrapping_sub(*start) < *size => name,
            _ => "?",
        }
    }

    /// The address of the first function with this name, if there is one.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<u32> {
        self.by_address.iter().find(|(_, _, n)| n == name).map(|(address, ..)| *address)
    }
}

fn entry<'data>(symbol: impl ObjectSymbol<'data>) -> Option<(u32, u32, String)> {
    let name = symbol.name().ok().filter(|n| !n.is_empty() && !n.starts_with('$'))?;
    let address = u32::try_from(symbol.address()).ok()? & !1;
    Some((address, u32::try_from(symbol.size()).ok()?, plain(name)))
}

/// The last segments of a mangled Rust name; other names as they are. Legacy mangling (`_ZN4core3fmt17h…E`) is a list
/// of length-prefixed words, which is all that is read here.
fn plain(name: &str) -> String {
    let words = name.strip_prefix("_ZN").map(words).unwrap_or_default();
    let kept: Vec<&str> = words.into_iter().filter(|w| !is_hash(w)).collect();
    if kept.is_empty() { name.to_owned() } else { kept.join("::") }
}

fn words(mut rest: &str) -> Vec<&str> {
    let mut found = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()) {
        let (Some(number), Some(tail)) = (rest.get(..digits), rest.get(digits..)) else { break };
        let Some((word, after)) = number.parse().ok().and_then(|n: usize| tail.split_at_checked(n)) else {
            break;
        };
        found.push(word);
        rest = after;
    }
    found
}

fn is_hash(word: &str) -> bool {
    word.len() == 17 && word.starts_with('h') && word.bytes().skip(1).all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_are_made_readable() {
        assert_eq!(plain("_ZN4bare4main17h0123456789abcdefE"), "bare::main");
        assert_eq!(plain("GPIOTE0"), "GPIOTE0");
        assert_eq!(plain("_ZN"), "_ZN");
    }

    #[test]
    fn what_is_no_arm_elf_file_is_refused() {
        assert!(matches!(Image::parse(b"not an ELF file"), Err(EmulatorError::Elf(_))));
        assert!(matches!(Image::parse(&[]), Err(EmulatorError::Elf(_))));
    }
}
