//! Which record, how many stimuli in it, and which strategy.
//!
//! 1. Sampling: the coarsest legal interval that is not above the wanted resolution. Bytes are time, so a slow mode
//!    does not pay for fine samples.
//! 2. Depth: the one that takes the least time in all. Bytes hardly depend on it, since only the stretch of the train
//!    is read; deeper records need fewer shots.
//! 3. Burst: as many stimuli as fit with the largest gap each time, then spread evenly over the shots (1000 pairs are
//!    2 x 500, not 750 + 250), so that all shots are alike. The count is met by whole shots.
//! 4. Windows: around each stimulus of the same train, as wide as an answer may take; what lies closer together than a
//!    request is worth is read through.
//! 5. Strategy `auto`: the quickest of `single`, `burst` and, where it saves a tenth of the time, `windowed`. What the gaps of an external stimulus are is not
//!    known beforehand, so there it is `burst`.

use super::acquisition::Extent;
use super::cost::{self, Load};
use super::error::Rule;
use super::reading::{Around, scheduled};
use super::records::{self, Record};
use super::setup::Capabilities;
use super::train;
use crate::profile::{Configuration, Spacing, StimulusSource, Strategy, StrategyChoice};
use crate::units::Picos;

/// Windows must save at least this part of the time of whole records to be chosen.
const LEAST_GAIN: i64 = 10;

/// How a configuration is captured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    pub strategy: Strategy,
    pub record: Record,
    pub burst: u32,
    pub shots: u32,
    pub extent: Extent,
    pub around: Option<Around>,
    /// Longest latency that can be seen, where it is not the next stimulus that ends the wait.
    pub window: Option<Picos>,
    pub bytes: u64,
    pub duration: Picos,
    pub reason: String,
}

/// What the choice is made from.
struct Question<'a> {
    wanted: &'a Configuration,
    capabilities: &'a Capabilities,
    /// Records at the interval chosen, by depth.
    records: Vec<Record>,
    interval: Picos,
    /// Known gaps, or the closest that an external stimulus may come.
    spacing: Spacing,
    /// What the last stimulus needs for its answer.
    tail: Picos,
    seed: u32,
}

/// Chooses, or says which rule forbids it.
pub(super) fn choose(
    wanted: &Configuration,
    source: StimulusSource,
    seed: u32,
    capabilities: &Capabilities,
) -> Result<Choice, Rule> {
    let question = Question::new(wanted, source, seed, capabilities)?;
    match (wanted.strategy, source) {
        (StrategyChoice::Fixed(Strategy::Record), _) => Err(Rule::NotYet(Strategy::Record)),
        (StrategyChoice::Fixed(Strategy::Windowed), StimulusSource::Firmware) => {
            question.windowed().map(|c| question.asked_for(c))
        }
        (StrategyChoice::Fixed(Strategy::Windowed), StimulusSource::External) => {
            question.following().map(|c| question.asked_for(c))
        }
        (StrategyChoice::Fixed(Strategy::Single), _) => question.single().map(|c| question.asked_for(c)),
        (StrategyChoice::Fixed(Strategy::Burst), StimulusSource::Firmware) => {
            question.burst().map(|c| question.asked_for(c))
        }
        (StrategyChoice::Fixed(Strategy::Burst), StimulusSource::External) => {
            question.free_running().map(|c| question.asked_for(c))
        }
        (StrategyChoice::Auto, StimulusSource::External) => question.free_running(),
        (StrategyChoice::Auto, StimulusSource::Firmware) => question.cheapest(),
    }
}

impl<'a> Question<'a> {
    fn new(
        wanted: &'a Configuration,
        source: StimulusSource,
        seed: u32,
        capabilities: &'a Capabilities,
    ) -> Result<Question<'a>, Rule> {
        let legal = records::legal(capabilities);
        let fine = legal.iter().map(|r| r.interval).filter(|interval| *interval <= wanted.resolution);
        let Some(interval) = fine.max() else {
            let finest = legal.iter().map(|r| r.interval).min().unwrap_or(Picos::MAX);
            return Err(Rule::Resolution {
                wanted: wanted.resolution,
                finest,
                model: capabilities.model.clone(),
            });
        };
        let records = legal.into_iter().filter(|r| r.interval == interval).collect();
        let preset = train::preset_spacing(wanted.expected_worst);
        let spacing = match source {
            StimulusSource::Firmware => wanted.spacing.unwrap_or(preset),
            StimulusSource::External => Spacing { min: preset.min, max: preset.min },
        };
        let tail = wanted.window.unwrap_or(spacing.min);
        Ok(Question { wanted, capabilities, records, interval, spacing, tail, seed })
    }

    fn capacity(&self, record: Record) -> u32 {
        train::capacity(record.after(), self.spacing, self.tail)
    }

    /// `burst` stimuli in one such record, read as a whole, often enough for the count.
    fn choice(&self, strategy: Strategy, record: Record, burst: u32, until: Picos) -> Choice {
        let shots = self.wanted.count.div_ceil(burst.max(1));
        let extent = record.extent(until);
        let load = Load::of(extent, self.interval, self.capabilities.block_points).times(shots);
        let choice = Choice {
            strategy,
            record,
            burst,
            shots,
            extent,
            around: None,
            window: None,
            bytes: 0,
            duration: Picos::ZERO,
            reason: String::new(),
        };
        self.costing(choice, load)
    }

    /// The same choice when that is read.
    fn costing(&self, choice: Choice, load: Load) -> Choice {
        let link = &self.capabilities.link;
        let first_gap = (self.spacing.min + self.spacing.max).half();
        let shot = cost::acquisition(link, choice.record, first_gap);
        Choice { bytes: load.bytes, duration: shot * i64::from(choice.shots) + load.time(link), ..choice }
    }

    /// The shallowest record that holds a pair.
    fn single(&self) -> Result<Choice, Rule> {
        let record =
            self.records.iter().find(|record| self.capacity(**record) >= 1).ok_or_else(|| self.no_room())?;
        Ok(self.choice(Strategy::Single, *record, 1, self.tail))
    }

    fn no_room(&self) -> Rule {
        let longest = self.records.iter().map(|record| record.after()).max().unwrap_or(Picos::ZERO);
        Rule::NoRoom { needed: self.tail, longest, interval: self.interval }
    }

    /// The quickest train: even shots in each depth, then the depth that takes the least time.
    fn burst(&self) -> Result<Choice, Rule> {
        self.single()?;
        let trains = self.records.iter().filter_map(|record| self.train(*record));
        let quickest = trains.min_by_key(|choice| choice.duration);
        quickest.ok_or(Rule::NoBurst { gap: self.spacing.max, interval: self.interval })
    }

    fn train(&self, record: Record) -> Option<Choice> {
        let most = self.capacity(record).min(self.wanted.count);
        if most == 0 || (most == 1 && self.wanted.count > 1) {
            return None;
        }
        let shots = self.wanted.count.div_ceil(most);
        let burst = self.wanted.count.div_ceil(shots.max(1));
        let train = train::longest(self.spacing, self.seed, burst, shots);
        Some(self.choice(Strategy::Burst, record, burst, train::with_drift(train) + self.tail))
    }

    /// As the quickest train, but only what lies around each stimulus is read.
    fn windowed(&self) -> Result<Choice, Rule> {
        self.single()?;
        let trains = self.records.iter().filter_map(|record| self.train(*record));
        let quickest = trains.map(|train| self.windows(train)).min_by_key(|choice| choice.duration);
        quickest.ok_or(Rule::NoBurst { gap: self.spacing.max, interval: self.interval })
    }

    fn windows(&self, train: Choice) -> Choice {
        let around = self.around();
        let block = self.capabilities.block_points;
        let of_shot = |before| {
            let stimuli = train::of_shot(self.spacing, self.seed, train.burst, before);
            let stretches = scheduled(stimuli, around, train.extent).into_iter();
            stretches.fold(Load::default(), |sum, e| sum.plus(Load::of(e, self.interval, block)))
        };
        let load = (0..train.shots).map(of_shot).fold(Load::default(), Load::plus);
        self.costing(self.within(train, around), load)
    }

    fn within(&self, train: Choice, around: Around) -> Choice {
        Choice { strategy: Strategy::Windowed, around: Some(around), window: Some(self.tail), ..train }
    }

    /// Some points more than an answer may take, so that its absence is seen, too.
    fn around(&self) -> Around {
        Around {
            before: self.interval * records::LEAD_POINTS,
            after: self.tail + self.interval * records::GUARD_POINTS,
            join: cost::worth_a_request(&self.capabilities.link, self.interval),
        }
    }

    /// An external stimulus: its channel is read as a whole, the other one around its edges. As many stimuli as there can
    /// be at the most are counted.
    fn following(&self) -> Result<Choice, Rule> {
        let whole = self.free_running()?;
        let around = self.around();
        let block = self.capabilities.block_points;
        let both = Load::of(whole.extent, self.interval, block);
        let window = Extent { from: -around.before, to: around.after };
        let answers = Load::of(window, self.interval, block).times(whole.burst);
        let half = |load: Load| Load { bytes: load.bytes / 2, blocks: load.blocks / 2 };
        let least = if answers.time(&self.capabilities.link) < both.time(&self.capabilities.link) {
            answers
        } else {
            both
        };
        let load = half(both).plus(half(least)).times(whole.shots);
        Ok(self.costing(self.within(whole, around), load))
    }

    /// The cheapest of one pair a shot, a train a shot, and a train read in windows.
    fn cheapest(&self) -> Result<Choice, Rule> {
        let single = self.single()?;
        let burst = match self.burst() {
            Ok(burst) => burst,
            Err(rule) => {
                let reason = format!("auto: single, since {rule}; {}", self.sampling());
                return Ok(Choice { reason, ..single });
            }
        };
        let windowed = self.windowed()?;
        let costs = format!(
            "single {}, burst {}, windowed {}; {}",
            single.duration,
            burst.duration,
            windowed.duration,
            self.sampling()
        );
        let quicker = |best: Choice, next: Choice| if next.duration < best.duration { next } else { best };
        // Windows see no answer that comes behind them, so a little time is no reason for them.
        let gain = windowed.duration < burst.duration - burst.duration / LEAST_GAIN;
        let train = if gain { windowed } else { burst };
        let best = if train.burst > 1 { quicker(single, train) } else { single };
        Ok(Choice { reason: format!("auto: {} is the quickest: {costs}", best.strategy), ..best })
    }

    /// Gaps unknown: the shallowest record that could hold all pairs if they came as close as they may, else the
    /// deepest. The first record shows the gaps, and `refine` counts again.
    fn free_running(&self) -> Result<Choice, Rule> {
        self.single()?;
        let enough = self.records.iter().find(|record| self.capacity(**record) >= self.wanted.count);
        let record = *enough.or(self.records.last()).ok_or_else(|| self.no_room())?;
        let burst = self.capacity(record).min(self.wanted.count).max(1);
        if self.wanted.count == 1 && self.wanted.strategy == StrategyChoice::Auto {
            return self
                .single()
                .map(|choice| Choice { reason: format!("auto: one pair; {}", self.sampling()), ..choice });
        }
        let reason =
            format!("auto: the gaps of an external stimulus show in the first record; {}", self.sampling());
        Ok(Choice { reason, ..self.choice(Strategy::Burst, record, burst, record.after()) })
    }

    fn asked_for(&self, choice: Choice) -> Choice {
        Choice { reason: format!("{}, as asked for; {}", choice.strategy, self.sampling()), ..choice }
    }

    fn sampling(&self) -> String {
        format!("a sample every {}, the coarsest within {}", self.interval, self.wanted.resolution)
    }
}
