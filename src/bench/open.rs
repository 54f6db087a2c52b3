//! From names to instruments: the only file that knows which drivers there are.
//!
//! It refuses a bench that is half virtual: simulated stimuli on a real scope, or the reverse, would be numbers of nothing.

use super::clock::SystemClock;
use super::ds1000z::Ds1000z;
use super::dut::{BoardLink, ByteStream, DutAddress, SerialStream, TcpStreamLink};
use super::scpi::{self, Dialogue, Resource};
use super::sim::{Options, VirtualBench};
use super::{Bench, BenchError, Clock, DutLink, Oscilloscope, Transcript};
use crate::profile::BenchSpec;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// One opened instrument, used through its trait; what must live as long as it does goes with it.
pub struct Opened<T: ?Sized> {
    device: Box<T>,
    clock: Arc<dyn Clock>,
    #[expect(dead_code, reason = "holds the simulated instruments alive")]
    keep: Option<VirtualBench>,
}

impl<T: ?Sized> Opened<T> {
    /// The bench's time.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }
}

impl<T: ?Sized> Deref for Opened<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.device
    }
}

impl<T: ?Sized> DerefMut for Opened<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.device
    }
}

/// Opens scope and board; exchanges go to `transcript` from the first one on.
///
/// # Errors
/// Names that mean nothing, instruments that cannot be reached or are not what they should be.
pub fn open(spec: &BenchSpec, transcript: Box<dyn Write + Send>) -> Result<Bench, BenchError> {
    let (scope, dut) = names(spec)?;
    let options = (scope == Resource::Virtual).then(|| options_of(spec, dut == DutAddress::None));
    Stage::set(options, transcript)?.bench(&scope, &dut, spec)
}

/// Opens a virtual bench made by `options`, so that a truth sink or a mode can be given. `spec` must name it.
///
/// # Errors
/// As [`open`], and for a `spec` that is not virtual.
pub fn open_virtual(
    options: Options,
    spec: &BenchSpec,
    transcript: Box<dyn Write + Send>,
) -> Result<Bench, BenchError> {
    let (scope, dut) = names(spec)?;
    if scope != Resource::Virtual {
        return Err(BenchError::Unsupported(format!("`{}` is not the virtual scope", spec.scope)));
    }
    Stage::set(Some(options), transcript)?.bench(&scope, &dut, spec)
}

/// As [`open_virtual`], with the scope reached by the name that `route` gives for the started bench: so each transport
/// can be shown to give the same run.
///
/// # Errors
/// As [`open_virtual`], and for a route that leads nowhere.
pub fn open_virtual_by(
    options: Options,
    spec: &BenchSpec,
    transcript: Box<dyn Write + Send>,
    route: impl FnOnce(&VirtualBench) -> Option<String>,
) -> Result<Bench, BenchError> {
    let (_, dut) = names(spec)?;
    let stage = Stage::set(Some(options), transcript)?;
    let name = stage.keep.as_ref().and_then(route).unwrap_or_default();
    stage.bench(&name.parse()?, &dut, spec)
}

/// Opens the scope only. The virtual one sees a free-running stimulus.
///
/// # Errors
/// As [`open`].
pub fn open_scope(
    spec: &BenchSpec,
    transcript: Box<dyn Write + Send>,
) -> Result<Opened<dyn Oscilloscope>, BenchError> {
    let scope: Resource = spec.scope.parse()?;
    let options = (scope == Resource::Virtual).then(|| options_of(spec, true));
    let stage = Stage::set(options, transcript)?;
    let device = stage.scope(&scope, spec)?;
    Ok(Opened { device, clock: stage.clock, keep: stage.keep })
}

/// Opens the board only.
///
/// # Errors
/// As [`open`], and when there is none.
pub fn open_dut(
    spec: &BenchSpec,
    transcript: Box<dyn Write + Send>,
) -> Result<Opened<dyn DutLink>, BenchError> {
    let dut: DutAddress = spec.dut.parse()?;
    let options = (dut == DutAddress::Virtual).then(|| options_of(spec, false));
    let stage = Stage::set(options, transcript)?;
    match stage.dut(&dut, spec)? {
        Some(device) => Ok(Opened { device, clock: stage.clock, keep: stage.keep }),
        None => Err(BenchError::Unsupported("the DUT link is `none`: there is no board to talk to".into())),
    }
}

/// Both names, which are virtual together or not at all.
fn names(spec: &BenchSpec) -> Result<(Resource, DutAddress), BenchError> {
    let (scope, dut): (Resource, DutAddress) = (spec.scope.parse()?, spec.dut.parse()?);
    let fits = match (&scope, &dut) {
        (_, DutAddress::None) | (Resource::Virtual, DutAddress::Virtual) => true,
        (scope, dut) => *scope != Resource::Virtual && *dut != DutAddress::Virtual,
    };
    if fits {
        return Ok((scope, dut));
    }
    Err(BenchError::Unsupported(format!(
        "scope `{}` and board `{}`: the virtual scope sees the virtual board only, and no real scope does; make both \
         virtual or neither, or the board `none`",
        spec.scope, spec.dut
    )))
}

/// Without a board the stimulus runs free, as an outside generator would.
fn options_of(spec: &BenchSpec, free_running: bool) -> Options {
    Options { simulation: spec.simulation.clone(), free_running, ..Options::default() }
}

/// What the instruments stand on.
struct Stage {
    clock: Arc<dyn Clock>,
    /// Sockets are real, so their deadlines are real time even where the bench's time is not.
    wall: Arc<dyn Clock>,
    transcript: Transcript,
    keep: Option<VirtualBench>,
}

impl Stage {
    /// With `options`, a virtual bench is started.
    fn set(options: Option<Options>, transcript: Box<dyn Write + Send>) -> Result<Stage, BenchError> {
        let wall: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let keep = options.map(VirtualBench::start).transpose()?;
        let clock = keep.as_ref().map_or_else(|| Arc::clone(&wall), VirtualBench::clock);
        let transcript = Transcript::new(transcript, Arc::clone(&clock));
        Ok(Stage { clock, wall, transcript, keep })
    }

    fn bench(self, scope: &Resource, dut: &DutAddress, spec: &BenchSpec) -> Result<Bench, BenchError> {
        let (scope, dut) = (self.scope(scope, spec)?, self.dut(dut, spec)?);
        Ok(Bench { scope, dut, clock: self.clock, keep: self.keep })
    }

    fn scope(&self, resource: &Resource, spec: &BenchSpec) -> Result<Box<dyn Oscilloscope>, BenchError> {
        let started = self.keep.as_ref().filter(|_| *resource == Resource::Virtual);
        let resource = started.map_or_else(|| resource.clone(), |bench| socket_of(bench.scope_address()));
        let transport = scpi::connect(&resource, spec.scope_timeout, &self.wall)?;
        let clock = Arc::clone(&self.clock);
        let dialogue = Dialogue::new(transport, clock, &self.transcript, spec.scope_timeout);
        Ok(Box::new(Ds1000z::connect(dialogue, Arc::clone(&self.clock))?))
    }

    fn dut(&self, address: &DutAddress, spec: &BenchSpec) -> Result<Option<Box<dyn DutLink>>, BenchError> {
        let budget = spec.dut_timeout;
        let tcp = |host: &str, port| TcpStreamLink::connect(host, port, budget, Arc::clone(&self.wall));
        let stream: Box<dyn ByteStream> = match (address, &self.keep) {
            (DutAddress::Virtual, Some(bench)) => {
                let address = bench.dut_address();
                Box::new(tcp(&address.ip().to_string(), address.port())?)
            }
            (DutAddress::None | DutAddress::Virtual, _) => return Ok(None),
            (DutAddress::Tcp { host, port }, _) => Box::new(tcp(host, *port)?),
            (DutAddress::Serial { path, baud }, _) => Box::new(SerialStream::open(path, *baud)?),
        };
        let link = BoardLink::connect(stream, Arc::clone(&self.wall), &self.transcript, budget)?;
        Ok(Some(Box::new(link)))
    }
}

fn socket_of(address: SocketAddr) -> Resource {
    let host = match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    Resource::Socket { board: 0, host, port: address.port() }
}

#[cfg(test)]
mod tests;
