//! Members of a zip archive as one stream of bytes: a capture is cut into parts (`logic-1-1`, `logic-1-2`, ...).
//!
//! The directory is read by the zip crate; the contents are inflated here, because they must be read from any part on
//! and twice. Checksums are compared at the end of each part.

use super::error::{ForeignError, Named};
use flate2::read::DeflateDecoder;
use std::io::{Read, Seek, SeekFrom, Take};

/// A member: where its bytes are.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    begin: u64,
    stored: u64,
    /// Length when inflated.
    pub length: u64,
    crc: u32,
    deflated: bool,
}

/// The members of an archive, in the order of its directory.
pub(super) fn members<R: Read + Seek>(source: R, named: Named) -> Result<Vec<Member>, ForeignError> {
    let damaged = |e: zip::result::ZipError| named.header(format!("of the zip archive is damaged: {e}"));
    let mut archive = zip::ZipArchive::new(source).map_err(damaged)?;
    let mut members = Vec::with_capacity(archive.len());
    for n in 0..archive.len() {
        let file = archive.by_index_raw(n).map_err(damaged)?;
        let deflated = match file.compression() {
            zip::CompressionMethod::Stored => false,
            zip::CompressionMethod::Deflated => true,
            other => return Err(named.header(format!("has a member compressed by {other}"))),
        };
        let begin = file.data_start();
        let begin = begin.ok_or_else(|| named.header("of a member of the zip archive is damaged"))?;
        members.push(Member {
            name: file.name().map_err(damaged)?.into_owned(),
            begin,
            stored: file.compressed_size(),
            length: file.size(),
            crc: file.crc32(),
            deflated,
        });
    }
    Ok(members)
}

/// Whole contents of a small member.
pub(super) fn text<R: Read + Seek>(source: R, member: &Member, named: Named) -> Result<String, ForeignError> {
    let mut parts = Parts::of(source, named, vec![member.clone()]);
    let mut bytes = vec![0; 64 * 1024];
    let got = parts.fill(&mut bytes)?;
    bytes.truncate(got);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

enum Open<R> {
    Plain(Take<R>),
    Deflated(Box<DeflateDecoder<Take<R>>>),
}

impl<R: Read> Open<R> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Open::Plain(take) => take.read(room),
            Open::Deflated(decoder) => decoder.read(room),
        }
    }
    fn close(self) -> R {
        match self {
            Open::Plain(take) => take.into_inner(),
            Open::Deflated(decoder) => decoder.into_inner().into_inner(),
        }
    }
}

/// Several members read one after the other.
pub(super) struct Parts<'a, R> {
    named: Named<'a>,
    members: Vec<Member>,
    /// The source while no member is open.
    idle: Option<R>,
    open: Option<Open<R>>,
    /// Number of the member that is open or comes next.
    next: usize,
    crc: crc32fast::Hasher,
    left: u64,
}

impl<'a, R: Read + Seek> Parts<'a, R> {
    pub fn of(source: R, named: Named<'a>, members: Vec<Member>) -> Parts<'a, R> {
        Parts {
            named,
            members,
            idle: Some(source),
            open: None,
            next: 0,
            crc: crc32fast::Hasher::new(),
            left: 0,
        }
    }

    /// Fills `room`, over the seams of the members; less than that only at the end.
    pub fn fill(&mut self, room: &mut [u8]) -> Result<usize, ForeignError> {
        let mut filled = 0;
        while let Some(rest) = room.get_mut(filled..).filter(|r| !r.is_empty()) {
            if self.open.is_none() && !self.begin()? {
                break;
            }
            let Some(open) = self.open.as_mut() else { break };
            let limit = usize::try_from(self.left).unwrap_or(usize::MAX).min(rest.len());
            let rest = rest.get_mut(..limit).unwrap_or_default();
            let got = match limit {
                0 => 0,
                _ => open.read(rest).map_err(|e| self.named.read(e))?,
            };
            match got {
                0 => self.end()?,
                _ => {
                    self.crc.update(rest.get(..got).unwrap_or_default());
                    self.left -= got as u64;
                    filled += got;
                }
            }
        }
        Ok(filled)
    }

    /// Goes to the byte `offset` of the inflated stream.
    pub fn seek(&mut self, offset: u64) -> Result<(), ForeignError> {
        if let Some(open) = self.open.take() {
            self.idle = Some(open.close());
        }
        let mut before = 0u64;
        let ends = self.members.iter().map(|m| {
            before = before.saturating_add(m.length);
            before
        });
        self.next = ends.filter(|end| *end <= offset).count();
        let start: u64 = self.members.iter().take(self.next).map(|m| m.length).sum();
        let mut left = offset.saturating_sub(start);
        let mut waste = vec![0; 16 * 1024];
        while left > 0 {
            let part = usize::try_from(left).unwrap_or(usize::MAX).min(waste.len());
            match self.fill(waste.get_mut(..part).unwrap_or_default())? {
                0 => break,
                got => left -= got as u64,
            }
        }
        Ok(())
    }

    /// Opens the next member. False when there is none.
    fn begin(&mut self) -> Result<bool, ForeignError> {
        let Some(member) = self.members.get(self.next) else { return Ok(false) };
        let Some(mut source) = self.idle.take() else { return Ok(false) };
        source.seek(SeekFrom::Start(member.begin)).map_err(|e| self.named.read(e))?;
        let take = source.take(member.stored);
        self.open = Some(match member.deflated {
            true => Open::Deflated(Box::new(DeflateDecoder::new(take))),
            false => Open::Plain(take),
        });
        self.left = member.length;
        self.crc = crc32fast::Hasher::new();
        Ok(true)
    }

    fn end(&mut self) -> Result<(), ForeignError> {
        if let Some(open) = self.open.take() {
            self.idle = Some(open.close());
        }
        let crc = std::mem::take(&mut self.crc).finalize();
        let member = self.members.get(self.next);
        self.next += 1;
        match member.filter(|m| self.left > 0 || m.crc != crc) {
            Some(member) => Err(self.named.read(format!("the part {} is damaged", member.name))),
            None => Ok(()),
        }
    }
}
