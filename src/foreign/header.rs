//! The headers of CSV exports: whose they are, which columns there are, where the data begins.
//!
//! Formats as seen in files that owners published and in programs that read them:
//! * Rigol DS/MSO1000Z, 2000, 4000: `X,CH1,CH2,Start,Increment,` and under it `Sequence,Volt,Volt,-6e-02,2e-05`, of
//!   which the second line may lack its last comma; `X` is missing on some firmware (`CH1,Start,Increment,`); MSO models
//!   add `D7-D0,D15-D8`. MSO5000, DHO: `CH1V,CH2V,t0 =-1e-03, tInc = 1e-09,` for the memory and `Time(s),CH1V,CH2V`
//!   for the screen. DS1000E: `Time,X(CH1),X(CH2)` over `Second,Volt,Volt`.
//! * Keysight InfiniiVision: `x-axis,1,2` over `second,Volt,Volt`.
//! * Siglent: keys and values (`Record Length,Analog:7000`, `Sample Interval,Analog:1e-07` or `Sample Rate,...`), then
//!   `Source,CH1,CH2` and `Second,Volt,Volt` or `Second,Value,Value`; converters leave out `Source`.
//! * Tektronix MSO/DPO/MDO: `Model,...`, keys and values, `TIME,CH1,CH2`. TDS: keys and values in the first two columns
//!   of the data rows themselves, time and volts in the fourth and fifth.
//! * PicoScope and home-made tables: `Time,Channel A` over `(ms),(V)`, `time_us,...`: the unit of time is looked for.
//! * Saleae Logic 2 (support pages, "Export Raw Data"): `Time [s],Channel 0,...`; names are the user's.

use super::decimal::whole_attoseconds;
use super::error::{ForeignError, Named};
use super::grid::AS_PER_S;
use super::iso;
use super::kind::Kind;

/// Lines that are looked at.
const LINES: usize = 64;

/// A line of the header: where it begins and its fields.
pub(super) struct Line {
    at: usize,
    fields: Vec<String>,
}

impl Line {
    fn field(&self, n: usize) -> &str {
        self.fields.get(n).map_or("", String::as_str)
    }
    fn key(&self) -> String {
        self.field(0).to_ascii_lowercase()
    }
    fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.eq_ignore_ascii_case(name))
    }
    fn is_blank(&self) -> bool {
        self.fields.iter().all(String::is_empty)
    }
    fn is_data(&self) -> bool {
        whole_attoseconds(self.field(0)).is_some() || iso::attoseconds(self.field(0).as_bytes()).is_some()
    }
}

/// Text without its byte order mark.
pub(super) fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

/// The first lines of `head`. The last line may be cut short and is left out unless it is the only one.
fn lines(head: &[u8]) -> Vec<Line> {
    let mut at = head.len() - without_mark(head).len();
    let mut lines = Vec::new();
    while let Some(rest) = head.get(at..).filter(|r| !r.is_empty())
        && lines.len() < LINES
    {
        let end = memchr::memchr(b'\n', rest);
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
        lines.push(Line { at, fields: fields(line) });
        at += line.len() + 1;
    }
    lines
}

/// The fields of one line, quotes and outer blanks removed.
fn fields(line: &[u8]) -> Vec<String> {
    let line = line.get(..4096).unwrap_or(line);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(line);
    let mut record = csv::ByteRecord::new();
    match reader.read_byte_record(&mut record) {
        Ok(true) => record.iter().map(|f| String::from_utf8_lossy(f).into_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Whose table begins with `head`.
pub(super) fn kind_of(head: &[u8]) -> Kind {
    let lines = lines(head);
    let Some(first) = lines.iter().find(|l| !l.is_blank()) else { return Kind::Unknown };
    let header = lines.iter().take_while(|l| !l.is_data());
    if header.flat_map(|l| &l.fields).any(|f| is_spectral(f)) {
        return Kind::Spectrum;
    }
    let key = first.key();
    if key.contains([';', '\t']) && is_time(key.split([';', '\t']).next().unwrap_or_default()) {
        return Kind::Separated;
    }
    let known = match key.as_str() {
        "x-axis" => Some(Kind::KeysightCsv),
        "time [s]" => Some(Kind::SaleaeCsv),
        "model" | "tekscope" => Some(Kind::TektronixCsv),
        _ if is_rigol(first) => Some(Kind::RigolCsv),
        "record length" if whole_attoseconds(first.field(1)).is_some() => Some(Kind::TektronixCsv),
        "record length" | "source" => Some(Kind::SiglentCsv),
        _ if is_time(&key) && lines.iter().take(8).any(Line::is_data) => Some(Kind::PlainCsv),
        _ => None,
    };
    known.unwrap_or(Kind::Unknown)
}

fn is_time(key: &str) -> bool {
    key.starts_with("time") || ["t", "s", "sec", "second", "seconds", "x-axis"].contains(&key)
}

fn is_spectral(field: &str) -> bool {
    let lower = field.to_ascii_lowercase();
    ["hz", "khz", "mhz", "ghz", "db", "fft"].contains(&lower.as_str())
        || ["frequency", "freq ", "freq(", "fft(", "dbv", "dbm"].iter().any(|p| lower.starts_with(p))
}

fn is_rigol(first: &Line) -> bool {
    let header = first.position("Start").is_some() && first.position("Increment").is_some();
    let inline = first.fields.iter().any(|f| f.starts_with("tInc"));
    let screen = first.field(0).eq_ignore_ascii_case("Time(s)");
    let old = first.field(0).eq_ignore_ascii_case("Time") && first.field(1).starts_with("X(CH");
    header || inline || screen || old
}

/// Where the times of the rows come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Axis {
    /// `start + n * increment` in attoseconds; `n` stands in a column or is the number of the row.
    Sequence { column: Option<usize>, start: i128, increment: i128 },
    /// A column of seconds.
    Time { column: usize },
}

/// What the rows hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Evenly sampled values.
    Values,
    /// Logic states where one of them changes.
    States,
}

/// A table that can be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub kind: Kind,
    /// Names of the channels and their columns.
    pub channels: Vec<(String, usize)>,
    pub axis: Axis,
    pub form: Form,
    /// Written units of time in a second.
    pub per_second: i128,
    /// Offset of the first row of data.
    pub data: u64,
    /// Interval of the samples as stated, in attoseconds.
    pub interval: Option<i128>,
    /// Number of points as stated.
    pub points: Option<u64>,
    /// Numbers of points that are made for the screen.
    pub screens: &'static [u64],
    /// Pairs of extremes.
    pub envelope: bool,
}

impl Table {
    /// Reads the header of a file of `kind`.
    pub fn of(head: &[u8], kind: Kind, named: Named) -> Result<Table, ForeignError> {
        let lines = lines(head);
        let begin = lines.iter().position(|l| !l.is_blank()).unwrap_or(0);
        let lines = lines.get(begin..).unwrap_or_default();
        let first = lines.first().ok_or_else(|| named.empty())?;
        let table = match kind {
            Kind::RigolCsv if first.position("Increment").is_some() => rigol(lines, named)?,
            Kind::RigolCsv if !is_time(&first.key()) && first.key() != "time(s)" => {
                rigol_inline(lines, named)?
            }
            Kind::TektronixCsv if first.key() == "record length" => tektronix_tds(lines),
            _ => keyed(lines, kind, named)?,
        };
        if table.channels.is_empty() {
            return Err(named.header("names no channel"));
        }
        Ok(table)
    }
}

/// `X,CH1,CH2,Start,Increment,`
fn rigol(lines: &[Line], named: Named) -> Result<Table, ForeignError> {
    let missing = || named.header("has no usable Start and Increment under these names");
    let (first, second) = (lines.first().ok_or_else(missing)?, lines.get(1).ok_or_else(missing)?);
    let stated = |name| first.position(name).and_then(|at| whole_attoseconds(second.field(at)));
    let start = stated("Start").ok_or_else(missing)?;
    let increment = stated("Increment").filter(|i| *i > 0).ok_or_else(missing)?;
    // Without a line of units the first row of data carries the two numbers.
    let data = if second.is_data() { Some(second) } else { lines.get(2) };
    let names = first.fields.iter().enumerate();
    let channels =
        names.filter(|(_, n)| n.starts_with("CH") || n.starts_with("MATH") || n.starts_with("REF"));
    Ok(Table {
        channels: channels.map(|(at, n)| (n.clone(), at)).collect(),
        axis: Axis::Sequence { column: first.position("X"), start, increment },
        data: data.map_or(u64::MAX, |l| l.at as u64),
        screens: &[1200, 1400],
        ..Table::blank(Kind::RigolCsv)
    })
}

/// `CH1V,CH2V,t0 =-1.0e-03, tInc = 1e-09,`
fn rigol_inline(lines: &[Line], named: Named) -> Result<Table, ForeignError> {
    let missing = || named.header("has no usable t0 and tInc");
    let first = lines.first().ok_or_else(missing)?;
    let stated = |name: &str| {
        let field = first.fields.iter().find_map(|f| f.strip_prefix(name))?;
        whole_attoseconds(field.trim().strip_prefix('=')?.trim().trim_end_matches('s'))
    };
    let (start, increment) = (stated("t0").ok_or_else(missing)?, stated("tInc").filter(|i| *i > 0));
    Ok(Table {
        channels: names(&first.fields, 0),
        axis: Axis::Sequence { column: None, start, increment: increment.ok_or_else(missing)? },
        data: lines.get(1).map_or(u64::MAX, |l| l.at as u64),
        ..Table::blank(Kind::RigolCsv)
    })
}

/// A line of column names after none or many keys and values, maybe a line of units, then rows that begin with a time.
fn keyed(lines: &[Line], kind: Kind, named: Named) -> Result<Table, ForeignError> {
    let columns = lines.iter().rposition(|l| is_time(&l.key()) || l.key() == "time [s]");
    let data = lines.iter().position(Line::is_data);
    let Some(names_at) = columns.filter(|at| data.is_none_or(|d| *at < d)) else {
        return Err(named.header("has no line with the names of the columns"));
    };
    let names_line = source_line(lines, names_at);
    let mut channels = names(names_line.map_or(&[][..], |l| &l.fields), 1);
    if channels.iter().all(|(name, _)| is_unit(name)) {
        channels = named_elsewhere(lines, channels);
    }
    let units = lines.iter().take(data.unwrap_or(names_at + 1)).skip(names_at);
    let per_second = units.map(|l| per_second(l.field(0))).try_fold(1, |all, one| Some(all.max(one?)));
    let per_second = per_second
        .ok_or_else(|| named.header("has times in an unknown unit; known are s, ms, us, ns, ps"))?;
    let stated =
        |key: &str| lines.iter().take(names_at).find(|l| l.key() == key).map(|l| number_of(l.field(1)));
    let interval = stated("sample interval").and_then(|t| whole_attoseconds(&t)).filter(|i| *i > 0);
    let rate = stated("sample rate").and_then(|t| whole_attoseconds(&t)).filter(|r| *r > 0);
    let points = stated("record length").and_then(|t| whole_attoseconds(&t));
    let data = data.and_then(|at| lines.get(at));
    Ok(Table {
        form: form_of(lines, &channels, kind),
        channels,
        axis: Axis::Time { column: 0 },
        per_second,
        data: data.map_or(u64::MAX, |l| l.at as u64),
        interval: interval.or_else(|| rate.and_then(|r| (AS_PER_S * AS_PER_S).checked_div(r))),
        points: points.and_then(|p| u64::try_from(p / AS_PER_S).ok()),
        screens: screens(kind, lines.first()),
        envelope: lines.iter().any(|l| l.key() == "point format" && l.fields.iter().any(|f| f == "ENV")),
        ..Table::blank(kind)
    })
}

/// Units of time in a second, by the name of the column (`Time (us)`, `time_us`) or the field under it (`(us)`). `None`
/// when what stands in brackets is no unit that is known.
fn per_second(field: &str) -> Option<i128> {
    let lower = field.to_ascii_lowercase();
    let bracketed = lower.split_once(['(', '[']).map(|(_, unit)| unit.trim_end_matches([')', ']']));
    let bare = lower.rsplit(['_', '/', ' ']).next().unwrap_or_default();
    match bracketed.unwrap_or(bare).trim() {
        "s" | "sec" | "second" | "seconds" => Some(1),
        "ms" => Some(1_000),
        "us" | "\u{b5}s" | "\u{3bc}s" => Some(1_000_000),
        "ns" => Some(1_000_000_000),
        "ps" => Some(1_000_000_000_000),
        _ => bracketed.is_none().then_some(1),
    }
}

/// The screen of a DS1000E has 600 points, that of an MSO5000 or DHO 1000.
fn screens(kind: Kind, first: Option<&Line>) -> &'static [u64] {
    match first {
        Some(l) if kind == Kind::RigolCsv && l.key() == "time(s)" => &[1000],
        _ if kind == Kind::RigolCsv => &[600, 1200],
        _ => &[],
    }
}

/// Rows hold states when all that were looked at do.
fn form_of(lines: &[Line], channels: &[(String, usize)], kind: Kind) -> Form {
    let state = |field: &str| matches!(field, "0" | "1" | "X" | "x" | "Z" | "z");
    // The last line looked at may be cut short.
    let whole = lines.len().saturating_sub(1).max(1);
    let mut rows = lines.iter().take(whole).filter(|l| l.is_data());
    match kind {
        Kind::SaleaeCsv | Kind::PlainCsv
            if rows.all(|l| channels.iter().all(|(_, at)| state(l.field(*at)))) =>
        {
            Form::States
        }
        _ => Form::Values,
    }
}

/// The line that names the columns: the one found, or the one above it where that one only has units.
fn source_line(lines: &[Line], at: usize) -> Option<&Line> {
    let above = at.checked_sub(1).and_then(|n| lines.get(n));
    let found = lines.get(at)?;
    let units = found.fields.iter().skip(1).all(|f| f.is_empty() || is_unit(f));
    above.filter(|l| units && (l.key() == "source" || is_time(&l.key()))).or(Some(found))
}

fn is_unit(field: &str) -> bool {
    let lower = field.to_ascii_lowercase();
    ["volt", "volts", "v", "value", "ampere", "amp", "a", "second", "s"].contains(&lower.as_str())
}

/// Names and columns; `X(CH1)` and `CH1V` are what others call `CH1`.
fn names(fields: &[String], from: usize) -> Vec<(String, usize)> {
    let mut channels = Vec::new();
    for (at, field) in fields.iter().enumerate().skip(from) {
        let inner = field.strip_prefix("X(").and_then(|f| f.strip_suffix(')')).unwrap_or(field);
        let bare = inner.strip_suffix('V').filter(|f| f.starts_with("CH")).unwrap_or(inner);
        // Tektronix puts a second block with its own time behind an empty column.
        let other = bare.is_empty()
            || is_time(&bare.to_ascii_lowercase())
            || bare.starts_with('t') && bare.contains('=');
        if !other || is_unit(bare) {
            channels.push((bare.to_owned(), at));
        }
    }
    channels
}

/// Siglent's converter leaves out the names, but `Vertical Scale,CH1:0.05 CH2:0.10` has them.
fn named_elsewhere(lines: &[Line], channels: Vec<(String, usize)>) -> Vec<(String, usize)> {
    let vertical = lines.iter().filter(|l| l.key().starts_with("vertical"));
    let found: Vec<String> = vertical
        .map(|l| {
            l.fields.iter().skip(1).flat_map(|f| f.split_whitespace()).filter_map(channel_prefix).collect()
        })
        .find(|names: &Vec<String>| !names.is_empty())
        .unwrap_or_default();
    let name = |n: usize| found.get(n).cloned().unwrap_or_else(|| format!("CH{}", n + 1));
    channels.into_iter().enumerate().map(|(n, (_, at))| (name(n), at)).collect()
}

fn channel_prefix(word: &str) -> Option<String> {
    word.split_once(':').map(|(name, _)| name.to_owned()).filter(|n| n.starts_with('C'))
}

/// The number in `Analog:7000` or `7000`.
fn number_of(field: &str) -> String {
    field.rsplit(':').next().unwrap_or(field).trim().to_owned()
}

/// `Record Length,2.500000e+03,,-0.0005,0.04`: the rows of data carry keys in front.
fn tektronix_tds(lines: &[Line]) -> Table {
    let stated = |key: &str| lines.iter().find(|l| l.key() == key).map(|l| l.field(1).to_owned());
    let source = stated("source").unwrap_or_else(|| "CH1".to_owned());
    Table {
        channels: vec![(source, 4)],
        axis: Axis::Time { column: 3 },
        data: lines.first().map_or(0, |l| l.at as u64),
        interval: stated("sample interval").and_then(|t| whole_attoseconds(&t)).filter(|i| *i > 0),
        points: stated("record length")
            .and_then(|t| whole_attoseconds(&t))
            .and_then(|p| u64::try_from(p / AS_PER_S).ok()),
        ..Table::blank(Kind::TektronixCsv)
    }
}

impl Table {
    fn blank(kind: Kind) -> Table {
        Table {
            kind,
            channels: Vec::new(),
            axis: Axis::Time { column: 0 },
            form: Form::Values,
            per_second: 1,
            data: u64::MAX,
            interval: None,
            points: None,
            screens: &[],
            envelope: false,
        }
    }
}
