//! The board behind the wire: the companion firmware's console over the simulated stimulus.
//!
//! One image with every mode, a free-running stimulus until a START takes over (ARM and STOP silence it, too), and the
//! capture log in units of 62.5 ns. What it counts comes from the same events as the scope's edges.

use super::faults::{Fault, Faults};
use super::laws::{LAWS, Law, Loads, find};
use super::schedule::{Event, LONGEST_TRAIN, Rates, Responder, Schedule};
use crate::bench::BenchError;
use crate::profile::Simulation;
use crate::units::Picos;
use latency_protocol::{Count, Identity, LineError, PRODUCT, Refusal, Request, Train, VERSION, write_framed};

/// Unit of the capture log.
const TICK: Picos = Picos(62_500);
/// Entries that the log of `LOG?` holds.
const LOG_LENGTH: usize = 4096;

/// The board.
pub(super) struct Board {
    pub(super) schedule: Schedule,
    initial: &'static Law,
    law: &'static Law,
    loads: Loads,
    rates: Rates,
    seed: u64,
    free_running: bool,
    counted: Count,
    log: Vec<i64>,
    logged: usize,
}

/// What the board does with a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Response {
    /// Sends these bytes.
    Line(Vec<u8>),
    /// Says nothing.
    Silence,
    /// The link closes.
    Closed,
}

impl Board {
    /// A board just powered.
    ///
    /// # Errors
    /// [`BenchError::NoSuchMode`] for an initial mode that it does not have.
    pub(super) fn new(s: &Simulation, mode: Option<&str>, free_running: bool) -> Result<Board, BenchError> {
        let law = match mode {
            None => find("direct"),
            Some(name) => find(name),
        };
        let initial = law.ok_or_else(|| BenchError::NoSuchMode {
            board: "virtual".to_owned(),
            runtime: "simulated".to_owned(),
            mode: mode.unwrap_or_default().to_owned(),
            modes: LAWS.map(|l| l.name).join(","),
            advice: String::new(),
        })?;
        let rates = Rates {
            miss: s.miss_rate.unwrap_or(0.0),
            double: s.double_rate.unwrap_or(0.0),
            late: s.late_rate.unwrap_or(0.0),
        };
        let mut board = Board {
            schedule: Schedule::new(s.seed, s.spacing),
            initial,
            law: initial,
            loads: Loads::default(),
            rates,
            seed: s.seed,
            free_running,
            counted: Count::default(),
            log: Vec::new(),
            logged: 0,
        };
        if free_running {
            board.schedule.run_free_since_ever(board.responder());
        }
        Ok(board)
    }

    fn responder(&self) -> Responder {
        Responder { law: self.law, loads: self.loads, rates: self.rates }
    }

    /// The link was closed: the outside generator, where there is one, runs free again.
    pub(super) fn released(&mut self, now: Picos, keep: Picos) {
        if self.free_running && !self.schedule.runs_free() {
            self.schedule.run_free(now, keep, self.responder());
        }
    }

    /// Answers one line. `keep` is how far back the scope may still look.
    pub(super) fn answer(
        &mut self,
        line: Result<&str, LineError>,
        now: Picos,
        keep: Picos,
        faults: &mut Faults,
    ) -> Response {
        if faults.strike(Fault::BoardSilent) {
            return Response::Silence;
        }
        if faults.strike(Fault::BoardDrop) {
            return Response::Closed;
        }
        if faults.strike(Fault::Foreign) {
            return Response::Line(b"uart:~$ \x1b[8D\x1b[Juart:~$ \n".to_vec());
        }
        if self.schedule.busy(now) && faults.strike(Fault::BoardReset) {
            self.reset(now, keep);
        }
        let request = match line {
            Ok(text) => Request::parse(text),
            Err(LineError::Long) => Err(Refusal::Long),
            Err(LineError::Text) => Err(Refusal::Syntax),
        };
        let payload = request.and_then(|r| self.carry_out(r, now, keep, faults));
        let mut framed = String::new();
        // Writing to a string cannot fail.
        let _ = write_framed(&mut framed, &payload.unwrap_or_else(|refusal| refusal.to_string()));
        let mut bytes = framed.into_bytes();
        if faults.strike(Fault::Noise)
            && let Some(byte) = bytes.first_mut()
        {
            *byte ^= 0x04;
        }
        Response::Line(bytes)
    }

    fn reset(&mut self, now: Picos, keep: Picos) {
        (self.law, self.loads) = (self.initial, Loads::default());
        self.forget();
        self.schedule.silence(now, keep);
    }

    fn carry_out(
        &mut self,
        request: Request<'_>,
        now: Picos,
        keep: Picos,
        faults: &mut Faults,
    ) -> Result<String, Refusal> {
        let busy = self.schedule.busy(now);
        let idle = if busy { Err(Refusal::Busy) } else { Ok(()) };
        match request {
            Request::Identity => return Ok(self.identity(faults)),
            Request::Conditions => return Ok(self.conditions()),
            Request::Modes if faults.strike(Fault::MissingMode) => return Ok("hw".to_owned()),
            Request::Modes => return Ok(LAWS.map(|law| law.name).join(",")),
            Request::Mode => return Ok(self.law.name.to_owned()),
            Request::SetMode(name) => {
                let missing = name != "hw" && faults.strike(Fault::MissingMode);
                let law = find(name).filter(|_| !missing).ok_or(Refusal::Mode)?;
                idle?;
                self.change(now, keep, |board| board.law = law);
                if faults.strike(Fault::ModeEcho) {
                    let other = LAWS.iter().find(|l| l.name != name).map_or("hw", |l| l.name);
                    return Ok(format!("MODE {other}"));
                }
            }
            Request::Load { name, on } => {
                let mut loads = self.loads;
                if !loads.switch(name, on) {
                    return Err(Refusal::Load);
                }
                idle?;
                self.change(now, keep, |board| board.loads = loads);
            }
            Request::Arm => {
                idle?;
                self.forget();
                self.schedule.silence(now, keep);
            }
            Request::Start(train) => {
                idle?;
                self.start(train, now, keep, faults)?;
            }
            Request::Stop => {
                self.close_train(now);
                self.schedule.silence(now, keep);
            }
            Request::Count => return Ok(self.count(now).to_string()),
            Request::Rate => return Ok((1_000_000_000_000 / TICK.0).to_string()),
            Request::Log => return Ok(self.log(now)),
        }
        Ok(request.to_string())
    }

    /// Changes the code that answers; a free-running stimulus goes on under it.
    fn change(&mut self, now: Picos, keep: Picos, change: impl FnOnce(&mut Board)) {
        change(self);
        if self.schedule.runs_free() {
            self.schedule.run_free(now, keep, self.responder());
        }
    }

    fn start(&mut self, train: Train, now: Picos, keep: Picos, faults: &mut Faults) -> Result<(), Refusal> {
        if train.count > LONGEST_TRAIN {
            return Err(Refusal::Range);
        }
        self.close_train(now);
        if faults.strike(Fault::DeadStimulus) {
            self.schedule.silence(now, keep);
        } else {
            self.schedule.fire(now, keep, train, self.responder());
        }
        Ok(())
    }

    fn identity(&self, faults: &mut Faults) -> String {
        let build = format!("seed{}", self.seed);
        let identity = Identity {
            board: "virtual",
            runtime: "simulated",
            version: env!("CARGO_PKG_VERSION"),
            build: &build,
        };
        let line = identity.to_string();
        if faults.strike(Fault::Version) {
            let (ours, theirs) = (format!("{PRODUCT}/{VERSION},"), format!("{PRODUCT}/{},", VERSION + 1));
            return line.replacen(&ours, &theirs, 1);
        }
        line
    }

    fn conditions(&self) -> String {
        let fixed = "clock_hz=128000000 gpiote=low-latency cache=on isr=flash priority=1";
        format!("{fixed} loads={} min_gap_us=1 simulated=1", self.loads.names())
    }

    /// Counters: those before the train in force, and the train up to now.
    fn count(&self, now: Picos) -> Count {
        let events = self.schedule.train_until(now);
        let lost = events.iter().filter(|e| e.response.is_none()).count() as u32;
        let fired = events.len() as u32;
        Count {
            stimuli: self.counted.stimuli.saturating_add(fired),
            edges: self.counted.edges.saturating_add(fired - lost),
            lost: self.counted.lost.saturating_add(lost),
            busy: self.schedule.busy(now),
        }
    }

    /// Takes over counts and log of a train that ends.
    fn close_train(&mut self, now: Picos) {
        self.counted = Count { busy: false, ..self.count(now) };
        let new = self.deltas(now);
        self.log.extend(new);
        self.log.truncate(LOG_LENGTH);
    }

    fn forget(&mut self) {
        (self.counted, self.logged) = (Count::default(), 0);
        self.log.clear();
    }

    /// What the capture unit measured in the train in force.
    fn deltas(&self, now: Picos) -> Vec<i64> {
        let delta = |e: &Event| Some((e.response.filter(|r| *r <= now)? - e.stimulus).0 / TICK.0);
        self.schedule.train_until(now).iter().filter_map(delta).collect()
    }

    /// The oldest delta that was not read; the log has stopped taking more when it is full.
    fn log(&mut self, now: Picos) -> String {
        let place = self.logged.checked_sub(self.log.len());
        let delta = match place {
            None => self.log.get(self.logged).copied(),
            Some(place) => self.deltas(now).get(place).copied().filter(|_| self.logged < LOG_LENGTH),
        };
        self.logged += usize::from(delta.is_some());
        delta.map_or_else(|| "END".to_owned(), |d| d.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(board: &mut Board, now: Picos, line: &str) -> String {
        let answer = board.answer(Ok(line), now, Picos::from_s(1), &mut Faults::default());
        let Response::Line(bytes) = answer else { panic!("no answer to {line}") };
        latency_protocol::unframe(String::from_utf8(bytes).unwrap().trim_end()).unwrap().to_owned()
    }

    fn board(rates: [f64; 3]) -> Board {
        let s = Simulation {
            miss_rate: Some(rates[0]),
            double_rate: Some(rates[1]),
            late_rate: Some(rates[2]),
            ..Simulation::default()
        };
        Board::new(&s, None, false).unwrap()
    }

    #[test]
    fn the_console_answers_as_the_protocol_says() {
        let mut b = board([0.0; 3]);
        let idn = ask(&mut b, Picos::ZERO, "*IDN?");
        assert_eq!(Identity::parse(&idn).unwrap().board, "virtual");
        assert_eq!(ask(&mut b, Picos::ZERO, "MODE thread"), "MODE thread");
        assert_eq!(ask(&mut b, Picos::ZERO, "MODE?"), "thread");
        assert_eq!(ask(&mut b, Picos::ZERO, "MODE nonsense"), "ERR 2 no such mode");
        assert_eq!(ask(&mut b, Picos::ZERO, "LOAD i2c on"), "LOAD i2c on");
        assert!(ask(&mut b, Picos::ZERO, "CONF?").contains("loads=i2c"));
        assert_eq!(ask(&mut b, Picos::ZERO, "HELLO"), "ERR 1 cannot read that");
        assert_eq!(ask(&mut b, Picos::ZERO, "HZ?"), "16000000");
        assert_eq!(ask(&mut b, Picos::ZERO, "LOG?"), "END");
    }

    #[test]
    fn a_train_is_counted_while_it_runs_and_refuses_changes() {
        let mut b = board([0.0; 3]);
        ask(&mut b, Picos::ZERO, "ARM");
        assert_eq!(ask(&mut b, Picos::ZERO, "START 10 100 100 7"), "START 10 100 100 7");
        let half = Picos::from_us(550);
        assert_eq!(ask(&mut b, half, "COUNT?"), "stimuli=5 edges=5 lost=0 busy=1");
        assert_eq!(ask(&mut b, half, "MODE thread"), "ERR 4 busy with a train");
        assert_eq!(ask(&mut b, half, "START 1 100 100 7"), "ERR 4 busy with a train");
        assert_eq!(ask(&mut b, Picos::from_ms(1), "COUNT?"), "stimuli=10 edges=10 lost=0 busy=0");
        // 1.9 us is 30 units of 62.5 ns; the law keeps 9 of 10 within a few of it.
        let first: i64 = ask(&mut b, Picos::from_ms(1), "LOG?").parse().unwrap();
        assert!((27..=46).contains(&first), "{first}");
        assert_eq!(ask(&mut b, Picos::from_ms(2), "STOP"), "STOP");
        assert_eq!(ask(&mut b, Picos::from_ms(2), "COUNT?"), "stimuli=10 edges=10 lost=0 busy=0");
        ask(&mut b, Picos::from_ms(3), "ARM");
        assert_eq!(ask(&mut b, Picos::from_ms(3), "COUNT?"), "stimuli=0 edges=0 lost=0 busy=0");
    }

    #[test]
    fn lost_responses_are_counted_as_lost() {
        let mut b = board([1.0, 0.0, 0.0]);
        ask(&mut b, Picos::ZERO, "START 10 100 100 7");
        assert_eq!(ask(&mut b, Picos::from_ms(2), "COUNT?"), "stimuli=10 edges=0 lost=10 busy=0");
    }

    #[test]
    fn board_faults_show_on_the_line() {
        let struck = |name: &str, line: &str| {
            let mut b = board([0.0; 3]);
            let mut faults = Faults::parse(1, &[name.to_owned()]).unwrap();
            b.answer(Ok(line), Picos::ZERO, Picos::ZERO, &mut faults)
        };
        let text = |r: Response| match r {
            Response::Line(bytes) => String::from_utf8(bytes).unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(text(struck("version", "*IDN?")).starts_with("latency-firmware/2,"));
        assert!(text(struck("missing-mode", "MODE direct")).starts_with("ERR 2 "));
        assert!(text(struck("mode-echo", "MODE direct")).starts_with("MODE hw"));
        let noisy = text(struck("noise", "MODE?"));
        assert!(latency_protocol::unframe(noisy.trim_end()).is_err());
        assert_eq!(struck("board-silent", "MODE?"), Response::Silence);
        assert_eq!(struck("board-drop", "MODE?"), Response::Closed);
        assert!(latency_protocol::unframe(text(struck("foreign", "*IDN?")).trim_end()).is_err());
    }
}
