//! A board on the bench: asks over the protocol, and reads what the pins did.

use latency_emulator::{Cycles, Edge, Emulator, Pin};
use latency_protocol::{Count, Gaps, Request, Train, names, unframe};

const ANSWER: Cycles = Cycles::from_millis(500);

/// A booted board.
pub struct Bench {
    pub emulator: Emulator,
}

/// What a train left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub train: Train,
    pub count: Count,
    pub log: Vec<u32>,
    pub edges: Vec<Edge>,
}

impl Bench {
    pub fn boot(elf: &[u8]) -> Bench {
        let mut emulator = Emulator::from_elf(elf).expect("the image loads");
        emulator.step_until(Emulator::BOOT).expect("the image boots");
        Bench { emulator }
    }

    /// The answer without its checksum.
    pub fn ask(&mut self, request: &Request<'_>) -> String {
        self.ask_line(&request.to_string())
    }

    pub fn ask_line(&mut self, line: &str) -> String {
        let answer = self.emulator.exchange(line, ANSWER).expect("the image answers");
        unframe(&answer).unwrap_or_else(|e| panic!("{line} -> {answer}: {e}")).to_owned()
    }

    pub fn modes(&mut self) -> Vec<String> {
        let answer = self.ask(&Request::Modes);
        let modes: Vec<String> = names(&answer).map(str::to_owned).collect();
        assert!(!modes.is_empty(), "no modes in `{answer}`");
        modes
    }

    /// Mode, arm, start, poll until it is over, read out.
    pub fn run(&mut self, mode: &str, train: Train) -> Run {
        let mark = self.fire(mode, train);
        let count = self.wait(train);
        Run { train, count, edges: self.emulator.edges_since(mark), log: self.log() }
    }

    /// As [`Self::run`], but nothing is asked while the train runs: the idle code sleeps between two stimuli.
    pub fn run_undisturbed(&mut self, mode: &str, train: Train) -> Run {
        let mark = self.fire(mode, train);
        // The train, and room for the last answer.
        let whole: u64 = Gaps::new(Train { count: train.count + 1, ..train }).map(u64::from).sum();
        self.emulator.run_for(Cycles::from_micros(whole) + Cycles::from_millis(10)).expect("it runs");
        let edges = self.emulator.edges_since(mark);
        let count = self.wait(train);
        Run { train, count, edges, log: self.log() }
    }

    fn fire(&mut self, mode: &str, train: Train) -> usize {
        assert_eq!(self.ask(&Request::SetMode(mode)), format!("MODE {mode}"));
        assert_eq!(self.ask(&Request::Arm), "ARM");
        let mark = self.emulator.edge_mark();
        assert_eq!(self.ask(&Request::Start(train)), format!("START {train}"));
        mark
    }

    /// Waits for the end of a train, within twice the time it can take.
    pub fn wait(&mut self, train: Train) -> Count {
        let longest = Cycles::from_micros(2 * u64::from(train.max_us) * u64::from(train.count + 2));
        let until = self.emulator.now() + longest + Cycles::from_millis(100);
        loop {
            let count = Count::parse(&self.ask(&Request::Count)).expect("the board counts");
            if !count.busy {
                return count;
            }
            assert!(self.emulator.now() < until, "still busy: {count}");
            self.emulator.run_for(Cycles::from_millis(1)).expect("it runs");
        }
    }

    fn log(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| {
            let answer = self.ask(&Request::Log);
            (answer != "END").then(|| answer.parse().expect("LOG? gives numbers"))
        })
        .take(2_000)
        .collect()
    }
}

impl Run {
    pub fn rises(&self, pin: Pin) -> Vec<u64> {
        self.edges.iter().filter(|e| e.pin == pin && e.high).map(|e| e.at.0).collect()
    }

    /// From each rise on the input to the first rise on the response pin before the next one.
    pub fn latencies(&self) -> Vec<Option<u64>> {
        let (stimuli, answers) = (self.rises(Pin::INPUT), self.rises(Pin::RESPONSE));
        let ends = stimuli.iter().skip(1).copied().chain([u64::MAX]);
        let first =
            |(from, to): (u64, u64)| answers.iter().find(|a| (from..to).contains(*a)).map(|a| a - from);
        stimuli.iter().copied().zip(ends).map(first).collect()
    }

    /// Gaps between stimuli in cycles as the pins show them, and as the protocol crate says.
    pub fn gaps(&self) -> (Vec<u64>, Vec<u64>) {
        let seen = self.rises(Pin::INPUT).windows(2).map(|w| w[1] - w[0]).collect();
        let said = Gaps::new(self.train).skip(1).map(|us| Cycles::from_micros(u64::from(us)).0).collect();
        (seen, said)
    }
}
