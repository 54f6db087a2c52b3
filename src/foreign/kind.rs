//! What a file is, told from its first bytes; its name is not asked, because exports get renamed.
//!
//! Containers are known by their magic numbers, text by its header. What is no capture is named too, so that the
//! refusal can say what the user holds and where the real thing is.

use super::header;
use memchr::memmem;

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// CSV of a Rigol oscilloscope.
    RigolCsv,
    /// CSV of a Keysight or Agilent oscilloscope.
    KeysightCsv,
    /// CSV of a Siglent oscilloscope.
    SiglentCsv,
    /// CSV of a Tektronix oscilloscope.
    TektronixCsv,
    /// Raw-data CSV of Saleae Logic 2.
    SaleaeCsv,
    /// A table with a time column and named columns, origin unknown.
    PlainCsv,
    /// sigrok session (`.sr`).
    Sigrok,
    /// Value change dump.
    Vcd,
    /// NumPy array.
    Npy,
    /// Pointer that Git LFS left instead of the file.
    LfsPointer,
    /// Excel or OpenDocument spreadsheet.
    Spreadsheet,
    /// Lock file that an office program leaves beside an open spreadsheet.
    OfficeLock,
    /// Frequencies instead of times.
    Spectrum,
    /// Web page.
    Html,
    /// Session of Saleae Logic 2 itself.
    SaleaeSession,
    /// Binary export of Saleae Logic 2.
    SaleaeBinary,
    /// Several NumPy arrays in one archive.
    Npz,
    /// Another zip archive.
    Zip,
    /// Gzip, xz, zstd or bzip2.
    Compressed,
    /// Picture.
    Picture,
    /// Rigol's own memory format.
    RigolWfm,
    /// Text in UTF-16.
    Utf16,
    /// A table with other separators than commas.
    Separated,
    /// Nothing at all, or only blanks or zeros.
    Empty,
    /// None of these.
    Unknown,
}

impl Kind {
    /// Can it be opened?
    #[must_use]
    pub fn is_capture(self) -> bool {
        use Kind::{KeysightCsv, Npy, PlainCsv, RigolCsv, SaleaeCsv, SiglentCsv, Sigrok, TektronixCsv, Vcd};
        matches!(
            self,
            RigolCsv | KeysightCsv | SiglentCsv | TektronixCsv | SaleaeCsv | PlainCsv | Sigrok | Vcd | Npy
        )
    }

    /// Name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Kind::RigolCsv => "Rigol CSV",
            Kind::KeysightCsv => "Keysight CSV",
            Kind::SiglentCsv => "Siglent CSV",
            Kind::TektronixCsv => "Tektronix CSV",
            Kind::SaleaeCsv => "Saleae Logic 2 CSV",
            Kind::PlainCsv => "CSV with a time column",
            Kind::Sigrok => "sigrok session",
            Kind::Vcd => "value change dump",
            Kind::Npy => "NumPy array",
            Kind::LfsPointer => "Git LFS pointer",
            Kind::Spreadsheet => "spreadsheet",
            Kind::OfficeLock => "office lock file",
            Kind::Spectrum => "spectrum",
            Kind::Html => "web page",
            Kind::SaleaeSession => "Saleae session",
            Kind::SaleaeBinary => "Saleae binary export",
            Kind::Npz => "archive of NumPy arrays",
            Kind::Zip => "zip archive",
            Kind::Compressed => "compressed file",
            Kind::Picture => "picture",
            Kind::RigolWfm => "Rigol WFM",
            Kind::Utf16 => "UTF-16 text",
            Kind::Separated => "table without commas",
            Kind::Empty => "empty file",
            Kind::Unknown => "unknown",
        }
    }

    /// Why it is no capture, and the way out.
    pub(super) fn refusal(self) -> &'static str {
        match self {
            Kind::LfsPointer => {
                "this is the pointer that Git LFS keeps instead of the file; run `git lfs pull`"
            }
            Kind::Spreadsheet => {
                "this is a spreadsheet; take the CSV that the instrument wrote, not a re-saved one"
            }
            Kind::OfficeLock => {
                "this is the lock that an office program leaves beside an open file; take the file"
            }
            Kind::Spectrum => "this is a spectrum (frequencies, no times); save the channels, not the FFT",
            Kind::Html => "this is a web page; the download gave a page instead of the file",
            Kind::SaleaeSession => "this is Logic 2's own session; in Logic 2 use File, Export Raw Data, CSV",
            Kind::SaleaeBinary => "this is Logic 2's binary export; export the raw data as CSV",
            Kind::Npz => "this is an archive of NumPy arrays; save one array with numpy.save",
            Kind::Zip => "this is a zip archive, but no sigrok session; unpack it and name the capture in it",
            Kind::Compressed => "this is compressed; unpack it first",
            Kind::Picture => "this is a picture of a screen; save the samples as CSV",
            Kind::RigolWfm => "this is Rigol's own WFM format, which differs by firmware; save as CSV",
            Kind::Utf16 => "this is UTF-16 text; save it as UTF-8",
            Kind::Separated => {
                "the columns are not separated by commas, so decimal commas may be in use; export with commas between \
                 columns and points in numbers"
            }
            Kind::Empty => "there is nothing in it",
            _ => {
                "this is none of the known formats (CSV of Rigol, Keysight, Siglent, Tektronix and Saleae, sigrok \
                 .sr, VCD, NumPy .npy)"
            }
        }
    }
}

/// Bytes of a file that [`identify`] needs.
pub const HEAD: usize = 64 * 1024;

/// Magic numbers at the very start.
const MAGIC: [(&[u8], Kind); 22] = [
    (b"\x93NUMPY", Kind::Npy),
    (b"version https://git-lfs.github.com/spec", Kind::LfsPointer),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind::Spreadsheet),
    (b"<SALEAE>", Kind::SaleaeBinary),
    (b"\x1f\x8b", Kind::Compressed),
    (b"\xfd7zXZ\0", Kind::Compressed),
    (b"\x28\xb5\x2f\xfd", Kind::Compressed),
    (b"BZh", Kind::Compressed),
    (b"7z\xbc\xaf", Kind::Compressed),
    (b"\x89PNG", Kind::Picture),
    (b"\xff\xd8\xff", Kind::Picture),
    (b"BM", Kind::Picture),
    (b"GIF8", Kind::Picture),
    (b"\xa5\xa5\0\0", Kind::RigolWfm),
    (b"\x01\xff\xff\xff\x44\x53\x31", Kind::RigolWfm),
    (b"\xff\xfe", Kind::Utf16),
    (b"\xfe\xff", Kind::Utf16),
    (b"<!DOCTYPE html", Kind::Html),
    (b"<!doctype html", Kind::Html),
    (b"<html", Kind::Html),
    (b"<HTML", Kind::Html),
    (b"<?xml", Kind::Unknown),
];

/// Names of files in a zip archive, and what their presence says.
const ENTRIES: [(&[u8], Kind); 9] = [
    (b"[Content_Types].xml", Kind::Spreadsheet),
    (b"xl/", Kind::Spreadsheet),
    (b"mimetypeapplication/vnd.oasis", Kind::Spreadsheet),
    (b"meta.json", Kind::SaleaeSession),
    (b"digital-", Kind::SaleaeSession),
    (b"version", Kind::Sigrok),
    (b"metadata", Kind::Sigrok),
    (b"logic-1", Kind::Sigrok),
    (b"mimetypeapplication/vnd.sigrok", Kind::Sigrok),
];

/// Tells what a file is from its first bytes (up to [`HEAD`] of them; more change nothing).
#[must_use]
pub fn identify(head: &[u8]) -> Kind {
    let head = head.get(..HEAD).unwrap_or(head);
    if head.starts_with(b"PK\x03\x04") {
        return of_zip(head);
    }
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return *kind;
    }
    if head.iter().all(|b| b.is_ascii_whitespace() || *b == 0) {
        return Kind::Empty;
    }
    let text = header::without_mark(head).trim_ascii_start();
    match text {
        _ if text.starts_with(b"<!") || text.starts_with(b"<html") => Kind::Html,
        _ if is_vcd(text) => Kind::Vcd,
        _ if is_office_lock(head) => Kind::OfficeLock,
        _ => header::kind_of(head),
    }
}

/// The local headers in `head` name the files of the archive: 30 bytes, the last four being the lengths of name and
/// extra field, then the name, then the contents (PKWARE APPNOTE 4.3.7).
fn of_zip(head: &[u8]) -> Kind {
    for at in memmem::find_iter(head, b"PK\x03\x04") {
        let Some(name) = head.get(at + 30..) else { break };
        if let Some((_, kind)) = ENTRIES.iter().find(|(entry, _)| name.starts_with(entry)) {
            return *kind;
        }
        let length = head.get(at + 26).copied().map_or(0, usize::from);
        if name.get(..length).is_some_and(|n| n.ends_with(b".npy")) {
            return Kind::Npz;
        }
    }
    Kind::Zip
}

/// Does it begin with one of the sections of IEEE Std 1364-2005, 18.2? sigrok-cli, given a file to import, puts a line of
/// its own before them.
fn is_vcd(text: &[u8]) -> bool {
    let line = text.starts_with(b"META ").then(|| memchr::memchr(b'\n', text)).flatten();
    let text = line.and_then(|end| text.get(end + 1..)).unwrap_or(text);
    const SECTIONS: [&[u8]; 7] =
        [b"$date", b"$version", b"$comment", b"$timescale", b"$scope", b"$var", b"$enddefinitions"];
    SECTIONS.iter().any(|s| text.starts_with(s))
}

/// `.~lock.NAME#` holds the user and host of who has the file open, with commas and a semicolon; `~$NAME` begins with
/// the length of a name that follows in 8 and 16 bit characters and is 165 bytes long.
fn is_office_lock(head: &[u8]) -> bool {
    let line = head.trim_ascii();
    let libre = line.ends_with(b";")
        && line.len() < 1024
        && !line.contains(&b'\n')
        && line.iter().filter(|b| **b == b',').count() >= 3
        && memmem::find(line, b"://").is_some();
    let excel =
        (head.len() == 165 || head.len() == 162) && head.first().is_some_and(|n| (1..=54).contains(n));
    libre || excel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_capture_is_named() {
        let cases: [(&[u8], Kind); 12] = [
            (b"", Kind::Empty),
            (b" \r\n\r\n", Kind::Empty),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", Kind::LfsPointer),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", Kind::Spreadsheet),
            (b"\n<!DOCTYPE html><html><body>404", Kind::Html),
            (b"X,MATH,Start,Increment,\nSequence,dBV,0,1e3\n0,-60,\n", Kind::Spectrum),
            (b"Frequency (Hz),CH1\n0,-60\n", Kind::Spectrum),
            (b"Time;CH1;CH2\n0,0;1,5;2,0\n", Kind::Separated),
            (b"\xff\xfeT\0i\0m\0e\0", Kind::Utf16),
            (b",Ann Other,bench-pc,01.12.2026 10:00,file:///home/ann/.config;", Kind::OfficeLock),
            (b"\x1f\x8b\x08\0", Kind::Compressed),
            (b"Dear colleague, the file is attached.\n", Kind::Unknown),
        ];
        for (head, kind) in cases {
            assert_eq!(identify(head), kind, "{}", String::from_utf8_lossy(head));
            assert!(!kind.is_capture());
            assert!(!kind.refusal().is_empty());
        }
    }

    #[test]
    fn zip_archives_are_told_apart_by_what_is_in_them() {
        let local = |name: &str, data: &[u8]| {
            let mut file = b"PK\x03\x04".to_vec();
            file.extend([0; 22]);
            file.extend([name.len() as u8, 0, 0, 0]);
            file.extend(name.as_bytes());
            file.extend(data);
            file
        };
        let ods = b"application/vnd.oasis.opendocument.spreadsheet";
        assert_eq!(identify(&local("mimetype", ods)), Kind::Spreadsheet);
        assert_eq!(identify(&local("[Content_Types].xml", b"")), Kind::Spreadsheet);
        assert_eq!(
            identify(&[local("meta.json", b""), local("digital-0.bin", b"")].concat()),
            Kind::SaleaeSession
        );
        assert_eq!(identify(&[local("version", b"2"), local("metadata", b"")].concat()), Kind::Sigrok);
        assert_eq!(identify(&local("arr_0.npy", b"")), Kind::Npz);
        assert_eq!(identify(&local("notes.txt", b"")), Kind::Zip);
    }
}
