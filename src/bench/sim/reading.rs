//! The instrument's answers that need a record: waveforms, measurements, the screen.

use super::cost;
use super::faults::Fault;
use super::geometry::{Geometry, SCREEN_POINTS};
use super::language::scientific;
use super::measure::{INVALID, Picture, item};
use super::record::Record;
use super::run::World;
use super::scope::{Reply, Scope};
use super::screen;
use super::settings::{Id, Settings, Value};
use super::view::View;

/// Items that the measurement bar holds.
const BAR: usize = 5;

impl Scope {
    /// Answers from the view in force.
    pub(super) fn viewed(&mut self, world: &mut World<'_>, answer: impl FnOnce(&View<'_>) -> Reply) -> Reply {
        let running = self.run.running();
        let rescaled = world.faults.strike(Fault::Rescaled);
        let record = self.run.readable(&self.settings, world);
        answer(&View::new(&self.settings, record, running, rescaled))
    }

    /// `:WAVeform:PREamble?`
    pub(super) fn preamble(&mut self, world: &mut World<'_>) -> Reply {
        let raw = self.settings.choice(Id::WaveMode, 0) == "RAW";
        if world.faults.strike(Fault::BadPreamble) {
            return "0,2,1200,1,0.000000e+00,nan,0,nan,0,127".to_owned().into();
        }
        let stuck = raw && world.faults.strike(Fault::StuckPoints);
        self.viewed(world, |view| view.preamble(stuck.then_some(SCREEN_POINTS)).into())
    }

    /// `:WAVeform:DATA?`
    pub(super) fn data(&mut self, world: &mut World<'_>) -> Reply {
        let (mut start, mut stop) = (self.settings.whole(Id::WaveStart), self.settings.whole(Id::WaveStop));
        let memory = self.settings.choice(Id::WaveMode, 0) == "RAW" && !self.run.running();
        self.spend(if memory { cost::MEMORY_BLOCK } else { cost::SCREEN_BLOCK });
        if world.faults.strike(Fault::EmptyBlock) {
            return Reply::Block(Vec::new());
        }
        if world.faults.strike(Fault::FewPoints) {
            stop = start + (stop - start) / 2;
        }
        if !memory && !self.run.running() && world.faults.strike(Fault::Scrolled) {
            start = start.max(101);
        }
        let odd = world.faults.strike(Fault::OddExponent);
        self.viewed(world, |view| Reply::Block(view.data(start, stop, odd)))
    }

    /// Puts an item on the bar; the oldest makes room (Q44).
    pub(super) fn show_item(&mut self, text: &str) {
        let text: String = text.to_ascii_uppercase().chars().take(40).collect();
        if !self.bar.contains(&text) {
            self.bar.push_back(text);
        }
        while self.bar.len() > BAR {
            self.bar.pop_front();
        }
    }

    /// `:MEASure:ITEM? item[,source[,source]]`
    pub(super) fn measure(&mut self, text: &str, world: &mut World<'_>) -> Reply {
        self.show_item(text);
        scientific(self.value(text, world).unwrap_or(INVALID)).into()
    }

    /// `:MEASure:STATistic:ITEM? kind,item[,source[,source]]`
    pub(super) fn statistic(&mut self, text: &str, world: &mut World<'_>) -> Reply {
        let (kind, rest) = text.split_once(',').unwrap_or((text, ""));
        let value = self.value(rest, world);
        if self.figures.len() > 64 {
            self.figures.clear();
        }
        let figures = self.figures.entry(rest.to_ascii_uppercase()).or_default();
        if let Some(value) = value {
            figures.add(value);
        }
        scientific(figures.get(kind).unwrap_or(INVALID)).into()
    }

    fn value(&mut self, text: &str, world: &mut World<'_>) -> Option<f64> {
        let mut words = text.split(',').map(str::trim);
        let name = words.next()?;
        let default = self.settings.source(Id::MeasureSource).unwrap_or(1);
        let channel = |word: Option<&str>, otherwise| word.map_or(Some(otherwise), source);
        let (a, b) = (channel(words.next(), default)?, channel(words.next(), 2)?);
        let running = self.run.running();
        let settings = self.settings.clone();
        let record = self.run.readable(&self.settings, world);
        let [a, b] = [a, b].map(|c| picture(&settings, record, running, c));
        item(name, &a?, b.as_ref())
    }

    /// `:DISPlay:DATA? [color,invert,format]`
    pub(super) fn screenshot(&mut self, text: &str, world: &mut World<'_>) -> Reply {
        self.spend(cost::SCREENSHOT);
        let mut arguments = text.split(',').map(str::trim);
        let (color, invert) = (arguments.next().unwrap_or("ON"), arguments.next().unwrap_or("OFF"));
        let format = arguments.next().unwrap_or("BMP24").to_ascii_uppercase();
        let running = self.run.running();
        let status = self.run.status(&self.settings, world);
        let settings = self.settings.clone();
        let mut image = screen::Image::new();
        let record = self.run.readable(&self.settings, world);
        let traces = (1..=4).filter_map(|c| Some((c, codes(&settings, record, running, c)?))).collect();
        screen::draw(&mut image, &settings, &Geometry::new(&settings), status, traces, &self.bar);
        let on = |word: &str| matches!(word.to_ascii_uppercase().as_str(), "1" | "ON");
        image.finish(on(color), on(invert));
        let png = format == "PNG" && !world.faults.strike(Fault::NoPng);
        Reply::Block(if png { image.png() } else { image.bmp() })
    }
}

fn source(word: &str) -> Option<u8> {
    let upper = word.to_ascii_uppercase();
    upper.strip_prefix("CHANNEL").or_else(|| upper.strip_prefix("CHAN"))?.parse().ok()
}

/// The settings with the waveform source at a channel and the screen selected.
fn screen_of(settings: &Settings, channel: u8) -> Settings {
    let mut s = settings.clone();
    s.put(Id::WaveSource, 0, Value::Choice(usize::from(channel.max(1)) - 1));
    s.put(Id::WaveMode, 0, Value::Choice(0));
    s.put(Id::WaveFormat, 0, Value::Choice(1));
    s
}

fn codes(settings: &Settings, record: &Record, running: bool, channel: u8) -> Option<Vec<u8>> {
    let s = screen_of(settings, channel);
    let codes = View::new(&s, record, running, false).codes(0, SCREEN_POINTS);
    (!codes.is_empty()).then_some(codes)
}

fn picture(settings: &Settings, record: &Record, running: bool, channel: u8) -> Option<Picture> {
    let s = screen_of(settings, channel);
    let view = View::new(&s, record, running, false);
    let codes = view.codes(0, SCREEN_POINTS);
    let volts: Vec<f64> = codes.iter().map(|c| view.scaling().volts(f64::from(*c))).collect();
    (!volts.is_empty()).then(|| Picture::new(volts, view.increment().as_seconds()))
}
