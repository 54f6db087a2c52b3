//! `latency-emulator ELF`: serves an image's UART and pins on loopback ports, or cuts one response into stages.

use latency_emulator::{Breakdown, Cycles, Emulator, Finding, Pin, Server, Settings, Wire, breakdown};
use lexopt::{Arg, Parser, ValueExt};
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: latency-emulator ELF [options]

Runs an nRF5340 image of the companion firmware. Figures are EMULATED path lengths, not measurements.

  --uart-port N       loopback TCP port of the UART (0, the default: a free one)
  --control-port N    loopback TCP port for virtual time, pins and wires (0: a free one)
  --edges FILE        write every edge on every pin to FILE as CSV
  --unplug A-B        start without this jumper wire, such as P0.04-P0.07 (repeatable)
  --exchange-us N     virtual time a line on the UART takes at least (0)
  --breakdown MODE    print where the cycles of one response go, and end

Once it listens it prints `READY uart=HOST:PORT control=HOST:PORT`. Virtual time stands still between exchanges.
";

#[derive(Debug, Default)]
struct Arguments {
    elf: Option<PathBuf>,
    settings: Settings,
    unplugged: Vec<Wire>,
    breakdown: Option<String>,
    help: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell anyone when even that fails.
            let _ = writeln!(io::stderr(), "latency-emulator: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments = parse(Parser::from_env())?;
    if arguments.help {
        io::stdout().write_all(USAGE.as_bytes())?;
        return Ok(());
    }
    let path = arguments.elf.ok_or("no ELF file given; --help says how")?;
    let file = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut emulator = Emulator::from_elf(&file)?;
    for wire in arguments.unplugged {
        if !emulator.set_wire(wire, false) {
            return Err(format!("there is no wire {}-{} to unplug", wire.a, wire.b).into());
        }
    }
    match arguments.breakdown {
        Some(mode) => print(&breakdown(&mut emulator, &mode)?, &emulator.findings()),
        None => serve(emulator, arguments.settings),
    }
}

fn serve(emulator: Emulator, settings: Settings) -> Result<(), Box<dyn Error>> {
    let mut server = Server::open(emulator, settings)?;
    let mut out = io::stdout();
    writeln!(out, "READY uart={} control={}", server.uart(), server.control())?;
    out.flush()?;
    Ok(server.run()?)
}

fn print(found: &Breakdown, findings: &[Finding]) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    writeln!(out, "EMULATED: mode {}, {} from edge to edge", found.mode, found.latency)?;
    writeln!(out, "{:>7} {:>7} {:>6}  {:>9}  function", "from", "cycles", "instr.", "exception")?;
    for stage in &found.stages {
        let (from, cycles, instructions) = (stage.from.0, stage.cycles, stage.instructions);
        writeln!(out, "{from:>7} {cycles:>7} {instructions:>6}  {:>9}  {}", stage.exception, stage.name)?;
    }
    for finding in findings {
        writeln!(io::stderr(), "note: {finding}")?;
    }
    Ok(())
}

fn parse(mut parser: Parser) -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("uart-port") => arguments.settings.uart_port = parser.value()?.parse()?,
            Arg::Long("control-port") => arguments.settings.control_port = parser.value()?.parse()?,
            Arg::Long("edges") => arguments.settings.edges = Some(parser.value()?.into()),
            Arg::Long("unplug") => arguments.unplugged.push(wire(&parser.value()?)?),
            Arg::Long("exchange-us") => {
                arguments.settings.exchange = Cycles::from_micros(parser.value()?.parse()?);
            }
            Arg::Long("breakdown") => arguments.breakdown = Some(parser.value()?.string()?),
            Arg::Long("help") | Arg::Short('h') => arguments.help = true,
            Arg::Value(path) if arguments.elf.is_none() => arguments.elf = Some(path.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(arguments)
}

fn wire(text: &OsString) -> Result<Wire, Box<dyn Error>> {
    let text = text.to_string_lossy();
    let (a, b) = text.split_once('-').ok_or("a wire is named by its pins, such as P0.04-P0.07")?;
    Ok(Wire { a: a.parse::<Pin>()?, b: b.parse::<Pin>()? })
}
