//! Which record, how many stimuli in it, and which strategy.
//!
//! 1. Sampling: the coarsest legal interval that is not above the wanted resolution. Bytes are time, so a slow mode
//!    does not pay for fine samples.
//! 2. Depth: the one that takes the least time in all. Bytes hardly depend on it, since only the stretch of the train
//!    is read; deeper records need fewer shots.
//! 3. Burst: as many stimuli as fit with the largest gap each time, then spread evenly over the shots (1000 pairs are
//!    2 x 500, not 750 + 250), so that all shots are alike. The count is met by whole shots.
//! 4. Strategy `auto`: the cheaper of `single` and `burst`.

use super::acquisition::Extent;
use super::cost;
use super::error::Rule;
use super::records::{self, Record};
use super::setup::Capabilities;
use super::train;
use crate::profile::{Configuration, Spacing, StimulusSource, Strategy, StrategyChoice};
use crate::units::Picos;

/// How a configuration is captured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    pub strategy: Strategy,
    pub record: Record,
    pub burst: u32,
    pub shots: u32,
    pub extent: Extent,
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
        (StrategyChoice::Fixed(strategy @ (Strategy::Windowed | Strategy::Record)), _) => {
            Err(Rule::NotYet(strategy))
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

    /// `burst` stimuli in one such record, often enough for the count.
    fn choice(&self, strategy: Strategy, record: Record, burst: u32, until: Picos) -> Choice {
        let shots = self.wanted.count.div_ceil(burst.max(1));
        let extent = record.extent(until);
        let shot = cost::shot(&self.capabilities.link, self.capabilities.block_points, record, extent);
        let duration = shot * i64::from(shots);
        Choice { strategy, record, burst, shots, extent, duration, reason: String::new() }
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

    /// The cheaper of one pair a shot and a train a shot.
    fn cheapest(&self) -> Result<Choice, Rule> {
        let single = self.single()?;
        let reason = match self.burst() {
            Ok(burst) if burst.burst > 1 && burst.duration < single.duration => {
                let reason = format!(
                    "auto: {} x {} in a burst take {}, one by one {}; {}",
                    burst.shots,
                    burst.burst,
                    burst.duration,
                    single.duration,
                    self.sampling()
                );
                return Ok(Choice { reason, ..burst });
            }
            Ok(burst) => format!("auto: single takes {}, burst {}", single.duration, burst.duration),
            Err(rule) => format!("auto: single, since {rule}"),
        };
        Ok(Choice { reason: format!("{reason}; {}", self.sampling()), ..single })
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
