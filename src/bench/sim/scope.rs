//! The instrument behind the wire: messages in, replies out.
//!
//! An unknown header leaves `-113` in the error queue, and an unknown query no reply (Q24). A value that is not taken
//! is ignored without an error (Q06). `*OPC?` answers at once, whatever the acquisition does.

use super::actions::{Action, COMMANDS, QUERIES};
use super::catalogue::ROWS;
use super::cost;
use super::faults::Fault;
use super::geometry::Geometry;
use super::language::{Statement, block, matches, scientific, statements};
use super::measure::Figures;
use super::record::FrontEnd;
use super::rules;
use super::run::{Run, World};
use super::settings::{Id, Settings, Value, parse};
use super::setup;
use crate::profile::Simulation;
use crate::units::Picos;
use std::collections::{BTreeMap, VecDeque};

/// Errors that are kept; the last one is replaced when more come.
const MOST_ERRORS: usize = 20;
const UNDEFINED: &str = "-113,\"Undefined header; keyword cannot be found\"";
const OVERFLOW: &str = "-350,\"Queue overflow\"";
const TOO_LONG: &str = "-363,\"Input buffer overrun\"";

/// An answer to one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    Nothing,
    Text(String),
    Block(Vec<u8>),
}

impl From<String> for Reply {
    fn from(text: String) -> Reply {
        Reply::Text(text)
    }
}

/// What a message leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Bytes for the line; empty for no answer.
    pub(super) bytes: Vec<u8>,
    /// Time it takes beyond the latency of the link.
    pub(super) cost: Picos,
}

/// The instrument.
pub(super) struct Scope {
    pub(super) settings: Settings,
    pub(super) run: Run,
    /// Items on the measurement bar, the newest last (Q44).
    pub(super) bar: VecDeque<String>,
    pub(super) figures: BTreeMap<String, Figures>,
    errors: VecDeque<&'static str>,
    events: u8,
    before_single: usize,
    serial: String,
    bytes_per_second: f64,
    cost: Picos,
    frozen: bool,
    deaf_until: Picos,
    held: Vec<u8>,
}

impl Scope {
    /// Just switched on.
    pub(super) fn new(simulation: &Simulation) -> Scope {
        Scope {
            settings: Settings::new(),
            run: Run::new(FrontEnd::new(simulation), simulation.seed),
            bar: VecDeque::new(),
            figures: BTreeMap::new(),
            errors: VecDeque::new(),
            events: 0,
            before_single: 0,
            serial: format!("DS1ZVIRTUAL{:03}", simulation.seed % 1_000),
            bytes_per_second: simulation.bytes_per_second,
            cost: Picos::ZERO,
            frozen: false,
            deaf_until: Picos::ZERO,
            held: Vec::new(),
        }
    }

    /// Carries out one message.
    pub(super) fn execute(&mut self, message: &[u8], world: &mut World<'_>) -> Outcome {
        self.run.settle(&self.settings, world);
        self.cost = Picos::ZERO;
        if world.faults.strike(Fault::CommandError) {
            return Outcome { bytes: b"command error\n".to_vec(), cost: self.cost };
        }
        let mut path = String::new();
        let mut bytes: Vec<u8> = Vec::new();
        let mut newline = true;
        for statement in statements(message) {
            let reply = self.statement(statement, &mut path, world);
            if !bytes.is_empty() && reply != Reply::Nothing {
                bytes.push(b';');
            }
            match reply {
                Reply::Nothing => {}
                Reply::Text(_) if world.faults.strike(Fault::EndlessLine) => {
                    bytes.resize(bytes.len() + 1_000_000, b'9');
                    newline = false;
                }
                Reply::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Reply::Block(data) => newline &= self.append_block(&mut bytes, &data, world),
            }
        }
        if !bytes.is_empty() && newline {
            bytes.push(b'\n');
        }
        Outcome { bytes: self.delivered(bytes, world), cost: self.cost }
    }

    /// What really leaves of a reply: all of it, unless a habit holds it back.
    fn delivered(&mut self, bytes: Vec<u8>, world: &mut World<'_>) -> Vec<u8> {
        if bytes.is_empty() {
            return bytes;
        }
        self.frozen |= world.faults.strike(Fault::Frozen);
        if self.frozen || world.now < self.deaf_until || world.faults.strike(Fault::Silent) {
            return Vec::new();
        }
        let mut out = std::mem::take(&mut self.held);
        if world.faults.strike(Fault::LateAnswer) {
            self.held = bytes;
        } else {
            out.extend(bytes);
        }
        out
    }

    /// A client went or came: a reply that was held back is gone.
    pub(super) fn reconnected(&mut self) {
        self.held.clear();
    }

    /// A message that was too long to be read.
    pub(super) fn overrun(&mut self) {
        self.error(TOO_LONG);
    }

    /// Appends a block; says whether a newline follows it.
    fn append_block(&mut self, bytes: &mut Vec<u8>, data: &[u8], world: &mut World<'_>) -> bool {
        let sent = if world.faults.strike(Fault::ShortBlock) { data.len() / 2 } else { data.len() };
        let mark = if world.faults.strike(Fault::BadHeader) { '@' } else { '#' };
        let said = if world.faults.strike(Fault::HugeBlock) { 999_999_999 } else { data.len() };
        bytes.extend_from_slice(format!("{mark}9{said:09}").as_bytes());
        bytes.extend_from_slice(data.get(..sent).unwrap_or_default());
        self.spend(cost::transfer(sent, self.bytes_per_second));
        if world.faults.strike(Fault::ExtraNewline) {
            bytes.push(b'\n');
        }
        !world.faults.strike(Fault::NoNewline)
    }

    pub(super) fn spend(&mut self, time: Picos) {
        self.cost += time;
    }

    fn error(&mut self, text: &'static str) {
        self.events |= 0x20;
        self.errors.push_back(text);
        if self.errors.len() > MOST_ERRORS {
            self.errors.truncate(MOST_ERRORS - 1);
            self.errors.push_back(OVERFLOW);
        }
    }

    /// One statement. Without a leading colon it belongs to the path of the one before it in the same message, if
    /// there is such a header (IEEE 488.2); a common command leaves the path as it is.
    fn statement(&mut self, statement: Statement<'_>, path: &mut String, world: &mut World<'_>) -> Reply {
        let behind = format!("{path}:{}", statement.header);
        let relative = !path.is_empty() && !statement.header.starts_with([':', '*']);
        let candidates = [Some(behind.as_str()).filter(|_| relative), Some(statement.header)];
        for header in candidates.into_iter().flatten() {
            let found = Statement { header, ..statement };
            if let Some(reply) = self.known(found, world) {
                if let Some((parent, _)) = header.rsplit_once(':') {
                    *path = parent.to_owned();
                }
                return reply;
            }
        }
        self.error(UNDEFINED);
        Reply::Nothing
    }

    fn known(&mut self, statement: Statement<'_>, world: &mut World<'_>) -> Option<Reply> {
        let Statement { header, query, argument } = statement;
        let text = std::str::from_utf8(argument).unwrap_or_default();
        let table: &[(&str, Action)] = if query { &QUERIES } else { &COMMANDS };
        for (pattern, action) in table {
            if let Some(channel) = matches(pattern, header) {
                return Some(self.act(*action, channel, text, argument, world));
            }
        }
        let (row, channel) =
            ROWS.iter().enumerate().find_map(|(i, row)| Some((i, matches(row.header, header)?)))?;
        if channel > 4 {
            return None;
        }
        if query {
            return Some(self.settings.show(row, channel).into());
        }
        self.write(row, channel, text, world);
        Some(Reply::Nothing)
    }

    /// Writes a setting; what the instrument does not take is left out without an error.
    fn write(&mut self, row: usize, channel: u8, text: &str, world: &mut World<'_>) {
        let Some(found) = ROWS.get(row) else { return };
        let lost = world.faults.strike(Fault::LostSetting)
            || (found.id == Id::Depth && world.faults.strike(Fault::WrongDepth));
        let value = parse(found.kind, text).filter(|_| !lost);
        let running = self.run.running();
        let admitted = value.and_then(|v| rules::admit(&self.settings, found.id, channel, v, running));
        let (Some(new), Some(old)) = (admitted, self.settings.get(row, channel)) else { return };
        if found.id == Id::Sweep {
            return self.sweep(new, world);
        }
        if new != old && rules::restarts(found.id) {
            // The screen shows what was captured under the old settings until there is something new.
            self.run.refresh(&self.settings, world);
        }
        self.settings.set(row, channel, new);
        rules::couple(&mut self.settings, found.id, channel, old, new);
        if new != old && rules::restarts(found.id) {
            self.run.restart(&self.settings, world);
        }
    }

    /// `:TRIGger:SWEep`; `SINGle` arms, which is all that `:SINGle` does.
    fn sweep(&mut self, new: Value, world: &mut World<'_>) {
        let Value::Choice(choice) = new else { return };
        if choice == 2 {
            return self.single(world);
        }
        self.before_single = choice;
        self.settings.put(Id::Sweep, 0, new);
        if self.run.running() {
            self.run.sweep(world.now, choice == 1);
        }
    }

    fn single(&mut self, world: &mut World<'_>) {
        if world.faults.strike(Fault::Knob) {
            let scale = self.settings.real(Id::Scale, 2) * 1.5;
            let row = ROWS.iter().position(|r| r.id == Id::Scale).unwrap_or_default();
            self.write(row, 2, &scale.to_string(), world);
        }
        self.settings.put(Id::Sweep, 0, Value::Choice(2));
        self.run.arm(&self.settings, world);
    }

    fn run(&mut self, world: &mut World<'_>) {
        self.settings.put(Id::Sweep, 0, Value::Choice(self.before_single));
        self.run.sweep(world.now, self.before_single == 1);
    }

    fn act(&mut self, action: Action, channel: u8, text: &str, raw: &[u8], world: &mut World<'_>) -> Reply {
        let seconds = |t: Picos| Reply::Text(scientific(t.as_seconds()));
        match action {
            Action::Identity => return self.identity(world),
            Action::Nothing => {}
            Action::Zero | Action::StatusByte => return "0".to_owned().into(),
            Action::One => return "1".to_owned().into(),
            Action::OneFrame => return "1".to_owned().into(),
            Action::ChannelCount => return "4".to_owned().into(),
            Action::EventStatus => return std::mem::take(&mut self.events).to_string().into(),
            Action::ClearErrors => {
                self.errors.clear();
                self.events = 0;
            }
            Action::Error => return self.errors.pop_front().unwrap_or("0,\"No error\"").to_owned().into(),
            Action::Reset => self.reset(world),
            Action::Run => self.run(world),
            Action::Stop => self.run.stop(&self.settings, world),
            Action::Single => self.single(world),
            Action::Force => self.run.force(world.now),
            Action::Autoscale => self.autoscale(world),
            Action::Status => return self.run.status(&self.settings, world).to_owned().into(),
            Action::Position => return self.run.position(&self.settings, world).to_string().into(),
            Action::Rate => return scientific(Geometry::new(&self.settings).rate()).into(),
            Action::Range => return scientific(self.settings.real(Id::Scale, channel) * 8.0).into(),
            Action::RangeSet => self.set_range(channel, text, world),
            Action::Data => return self.data(world),
            Action::Preamble => return self.preamble(world),
            Action::XIncrement => return self.viewed(world, |v| seconds(v.increment())),
            Action::XOrigin => return self.viewed(world, |v| seconds(v.origin())),
            Action::YIncrement => return self.viewed(world, |v| scientific(v.scaling().increment).into()),
            Action::YOrigin => {
                return self.viewed(world, |v| format!("{:.0}", v.scaling().offset.round()).into());
            }
            Action::YReference => {
                return self.viewed(world, |v| format!("{:.0}", v.scaling().reference).into());
            }
            Action::Screen => return self.screenshot(text, world),
            Action::MeasureAdd => self.show_item(text),
            Action::Measure => return self.measure(text, world),
            Action::Statistic => return self.statistic(text, world),
            Action::MeasureClear => self.bar.clear(),
            Action::StatisticReset => self.figures.clear(),
            Action::CounterValue => return self.measure("FREQ", world),
            Action::Setup => return Reply::Block(setup::save(&self.settings)),
            Action::Restore => self.restore(raw, world),
        }
        Reply::Nothing
    }

    fn identity(&self, world: &mut World<'_>) -> Reply {
        let whole = format!("RIGOL TECHNOLOGIES,DS1054Z,{},00.04.04.SP4", self.serial);
        let part = whole.get(..14).filter(|_| world.faults.strike(Fault::PartialIdentity));
        part.unwrap_or(&whole).to_owned().into()
    }

    fn reset(&mut self, world: &mut World<'_>) {
        self.settings = Settings::new();
        self.bar.clear();
        self.figures.clear();
        self.before_single = 0;
        self.run.reset(world.now);
        self.spend(cost::RESET);
        if world.faults.strike(Fault::DeafAfterReset) {
            self.deaf_until = world.now + cost::RESET + Picos::from_s(8);
        }
    }

    fn set_range(&mut self, channel: u8, text: &str, world: &mut World<'_>) {
        let row = ROWS.iter().position(|r| r.id == Id::Scale).unwrap_or_default();
        if let Ok(range) = text.parse::<f64>() {
            self.write(row, channel, &(range / 8.0).to_string(), world);
        }
    }

    /// Both channels on, the logic on the screen, sweeping.
    fn autoscale(&mut self, world: &mut World<'_>) {
        let headers = [
            ":CHAN1:DISP ON",
            ":CHAN2:DISP ON",
            ":CHAN1:SCAL 1",
            ":CHAN2:SCAL 1",
            ":CHAN1:OFFS 0",
            ":CHAN2:OFFS -4",
            ":TIM:SCAL 5e-5",
            ":TIM:OFFS 0",
            ":TRIG:EDG:SOUR CHAN1",
            ":TRIG:EDG:LEV 1.6",
            ":TRIG:SWE AUTO",
        ];
        for line in headers {
            for statement in statements(line.as_bytes()) {
                self.known(statement, world);
            }
        }
        self.run(world);
        self.spend(cost::AUTOSCALE);
    }

    fn restore(&mut self, raw: &[u8], world: &mut World<'_>) {
        let data = block(raw).and_then(|(head, len)| raw.get(head..head.checked_add(len)?));
        if let Some(settings) = data.and_then(setup::restore) {
            self.settings = settings;
            self.run.restart(&self.settings, world);
            self.spend(cost::RESTORE);
        }
    }
}
