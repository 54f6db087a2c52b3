//! One configuration: set up, then arm, fire, wait, fetch, append, until the pairs are there or the budget is spent.

use super::record::{Recording, bench_error};
use super::{Event, SessionError};
use crate::bench::BenchError;
use crate::capture::{Board, Reader};
use crate::plan::{self, ConfigurationPlan};
use crate::profile::StimulusSource;
use crate::report::{Collector, Taken};
use crate::signal::Shot;

/// Records in a row that may be thrown away before the bench counts as broken.
const MOST_DISCARDED: u32 = 5;

/// The loop over the shots of one configuration.
pub(super) struct Configuration<'a, 'r> {
    run: &'a mut Recording<'r>,
    plan: ConfigurationPlan,
    collector: Collector,
    shot: u32,
    discarded: u32,
}

impl<'a, 'r> Configuration<'a, 'r> {
    pub fn new(run: &'a mut Recording<'r>, plan: &ConfigurationPlan) -> Configuration<'a, 'r> {
        Configuration { run, collector: Collector::new(plan), plan: plan.clone(), shot: 0, discarded: 0 }
    }

    /// Captures whole shots until the wanted pairs are there. The budget counts shots, not pairs: a board that never
    /// answers must end the run, with its misses counted.
    pub fn run(mut self) -> Result<bool, SessionError> {
        let name = self.plan.name.clone();
        let predicted = self.plan.prediction.total();
        self.run.emit(Event::Started { configuration: name.clone(), wanted: self.plan.count, predicted })?;
        let begun = self.run.bench.clock.now();
        self.take_up()?;
        if !self.done() {
            let shots = self.shots();
            let unloaded = self.loads(false).map_err(bench_error(&name));
            shots?;
            unloaded?;
        }
        let elapsed = self.run.bench.clock.now() - begun;
        let pairs = self.collector.paired();
        self.run.emit(Event::Finished { configuration: name, pairs, elapsed, predicted })?;
        Ok(pairs >= u64::from(self.plan.count))
    }

    /// Counts the shots that the run already holds, when it was taken up again.
    fn take_up(&mut self) -> Result<(), SessionError> {
        for stored in Reader::open(self.run.writer.folder())?.shots(&self.plan.name)? {
            let stored = stored?;
            let Board { armed_ps: armed, fetched_ps: fetched, .. } = stored.board;
            self.count(&stored.shot, Taken { armed, fetched, bytes: stored.bytes, ..Taken::default() })?;
        }
        Ok(())
    }

    /// The pairs are there, or the budget is spent.
    fn done(&self) -> bool {
        self.collector.paired() >= u64::from(self.plan.count) || self.shot >= self.budget()
    }

    fn shots(&mut self) -> Result<(), SessionError> {
        self.prepare().map_err(bench_error(&self.plan.name))?;
        while !self.done() {
            self.run.check_stop(&self.plan.name)?;
            self.one_shot()?;
        }
        Ok(())
    }

    /// Twice the planned shots and a few: room for misses, an end for a dead board.
    fn budget(&self) -> u32 {
        self.plan.prediction.shots.saturating_mul(2).saturating_add(3)
    }

    fn prepare(&mut self) -> Result<(), BenchError> {
        if let Some(dut) = self.run.bench.dut.as_mut() {
            dut.select(&self.plan.mode)?;
        }
        self.loads(true)?;
        self.run.bench.scope.apply(&self.plan.setup).map(|_| ())
    }

    /// Switches the background loads; off again at the end, so that the next configuration does not inherit them.
    fn loads(&mut self, on: bool) -> Result<(), BenchError> {
        let Some(dut) = self.run.bench.dut.as_mut() else { return Ok(()) };
        self.plan.loads.iter().try_for_each(|load| dut.load(load, on))
    }

    fn one_shot(&mut self) -> Result<(), SessionError> {
        let armed_ps = self.run.bench.clock.now();
        match self.acquire() {
            Ok((mut shot, mut board)) => {
                self.discarded = 0;
                // The scope counts from its last setup, the run from its first shot.
                shot.number = self.shot.saturating_add(1);
                (board.armed_ps, board.fetched_ps) = (armed_ps, self.run.bench.clock.now());
                self.keep(&shot, board)
            }
            Err(BenchError::Stale { .. }) if self.discarded < MOST_DISCARDED => {
                self.discarded += 1;
                let shot = self.shot.saturating_add(1);
                let why = BenchError::Stale { shot }.to_string();
                self.run.emit(Event::Discarded { configuration: self.plan.name.clone(), shot, why })
            }
            Err(error) => Err(bench_error(&self.plan.name)(error)),
        }
    }

    /// Arm, then fire: the scope is seen waiting before the first stimulus can come, so that what it stops with is
    /// new. A free-running stimulus has no such order; the scope's driver then rests on time and comparison.
    fn acquire(&mut self) -> Result<(Shot, Board), BenchError> {
        let bench = &mut self.run.bench;
        let mut board = Board::default();
        let gated = self.plan.source == StimulusSource::Firmware;
        if let Some(dut) = bench.dut.as_mut().filter(|_| gated) {
            dut.arm()?;
        }
        let armed = bench.scope.arm(gated)?;
        if let Some(dut) = bench.dut.as_mut().filter(|_| gated) {
            let train = self.plan.train(self.shot);
            board.fired = Some(train.count);
            dut.fire(train)?;
        }
        let triggered = bench.scope.wait(armed, self.plan.timeout)?;
        if let Some(dut) = bench.dut.as_mut().filter(|_| gated) {
            let count = dut.count()?;
            (board.stimuli, board.lost) = (Some(count.stimuli), Some(count.lost));
        }
        let reading = self.plan.reading(self.shot);
        Ok((bench.scope.read(triggered, &reading)?, board))
    }

    /// Evidence first; what it means is only looked at afterwards.
    fn keep(&mut self, shot: &Shot, board: Board) -> Result<(), SessionError> {
        self.run.writer.append(&self.plan.name, shot, board)?;
        let bytes = shot_bytes(shot);
        let (armed, fetched) = (board.armed_ps, board.fetched_ps);
        self.count(shot, Taken { armed, fetched, bytes, ..Taken::default() })?;
        let (median, worst) = self.collector.so_far();
        self.run.emit(Event::Shot {
            configuration: self.plan.name.clone(),
            shot: shot.number,
            pairs: self.collector.paired(),
            stimuli: self.collector.stimuli(),
            median,
            worst,
            bytes,
        })
    }

    fn count(&mut self, shot: &Shot, taken: Taken) -> Result<(), SessionError> {
        self.shot = shot.number;
        self.collector.add(shot, taken);
        if self.shot == 1 && self.plan.source == StimulusSource::External {
            self.refine()?;
        }
        Ok(())
    }

    /// Learns the spacing of a free-running stimulus from the first record.
    fn refine(&mut self) -> Result<(), SessionError> {
        let Some(spacing) = self.collector.observed_spacing() else { return Ok(()) };
        self.plan = plan::refine(&self.plan, spacing);
        self.run.emit(Event::Refined {
            configuration: self.plan.name.clone(),
            min_gap: spacing.min,
            max_gap: spacing.max,
            burst: self.plan.burst,
        })
    }
}

fn shot_bytes(shot: &Shot) -> u64 {
    let segments = shot.stimulus.segments.iter().chain(&shot.response.segments);
    segments.map(|s| s.codes.len() as u64).sum()
}
