//! Automatic measurements: worked out from the 1200 points of the screen (Q45), `9.9E37` where there is nothing to
//! measure (Q43). Delays are from the first edge of source 1 to the next one of source 2.

use super::language::word;

/// What the instrument says for "cannot be measured".
pub(super) const INVALID: f64 = 9.9e37;

/// A channel's screen in volts.
pub(super) struct Picture {
    volts: Vec<f64>,
    step: f64,
    low: f64,
    high: f64,
}

#[derive(Debug, Clone, Copy)]
struct Crossing {
    at: f64,
    rising: bool,
}

impl Picture {
    /// `step` is the time between two points in seconds.
    pub(super) fn new(volts: Vec<f64>, step: f64) -> Picture {
        let mut sorted = volts.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| {
            sorted.get((part * sorted.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(0.0)
        };
        // Levels: medians of the lower and of the upper half of the range, as a histogram would give them.
        let middle = 0.5 * (at(0.0) + at(1.0));
        let split = sorted.partition_point(|v| *v < middle);
        let level = |from: usize, to: usize| sorted.get((from + to) / 2).copied().unwrap_or(middle);
        let (low, high) = (level(0, split), level(split, sorted.len()));
        Picture { volts, step, low, high }
    }

    fn amplitude(&self) -> f64 {
        self.high - self.low
    }

    /// Crossings of a part of the amplitude, with hysteresis of a tenth of it.
    fn crossings(&self, part: f64) -> Vec<Crossing> {
        let threshold = self.low + part * self.amplitude();
        let margin = 0.1 * self.amplitude();
        let mut high = self.volts.first().is_some_and(|v| *v > threshold);
        let mut found = Vec::new();
        for (i, pair) in self.volts.windows(2).enumerate() {
            let &[a, b] = pair else { continue };
            let rising = !high && b > threshold + margin.min(0.5 * (self.high - threshold));
            if rising || (high && b < threshold - margin.min(0.5 * (threshold - self.low))) {
                high = rising;
                let part = ((threshold - a) / (b - a)).clamp(-1.0, 1.0);
                found.push(Crossing { at: (i as f64 + part) * self.step, rising });
            }
        }
        found
    }

    fn edges(&self) -> Vec<Crossing> {
        // Less than a few codes of swing is noise.
        if self.amplitude() > 0.0 && self.amplitude() > 0.02 * self.high.abs() {
            self.crossings(0.5)
        } else {
            Vec::new()
        }
    }

    fn first(&self, rising: bool) -> Option<f64> {
        self.edges().into_iter().find(|c| c.rising == rising).map(|c| c.at)
    }

    /// Time from one edge to the next of the other direction.
    fn width(&self, rising: bool) -> Option<f64> {
        let edges = self.edges();
        let pair = edges.windows(2).find(|w| w.first().is_some_and(|c| c.rising == rising))?;
        Some(pair.get(1)?.at - pair.first()?.at)
    }

    fn period(&self) -> Option<f64> {
        let rises: Vec<f64> = self.edges().into_iter().filter(|c| c.rising).map(|c| c.at).collect();
        let gaps = rises.len().checked_sub(1).filter(|n| *n > 0)?;
        Some((rises.last()? - rises.first()?) / gaps as f64)
    }

    /// 10 to 90 % of the first rising edge, or 90 to 10 % of the first falling one.
    fn transition(&self, rising: bool) -> Option<f64> {
        let edge = self.first(rising)?;
        let near = |part: f64| {
            let all = self.crossings(part).into_iter().filter(|c| c.rising == rising).map(|c| c.at);
            all.min_by(|a, b| (a - edge).abs().total_cmp(&(b - edge).abs()))
        };
        Some((near(0.9)? - near(0.1)?).abs())
    }

    fn mean(&self) -> f64 {
        self.volts.iter().sum::<f64>() / self.volts.len().max(1) as f64
    }
    fn count(&self, rising: bool) -> f64 {
        self.edges().iter().filter(|c| c.rising == rising).count() as f64
    }
}

/// Delay from the first edge of `a` to the first one of `b` after it.
fn delay(a: &Picture, b: &Picture, rising: bool) -> Option<f64> {
    let from = a.first(rising)?;
    let to = b.edges().into_iter().find(|c| c.rising == rising && c.at >= from)?;
    Some(to.at - from)
}

/// Value of an item; `None` for one that is not known or cannot be measured.
pub(super) fn item(name: &str, a: &Picture, b: Option<&Picture>) -> Option<f64> {
    let is = |pattern: &str| word(pattern, name);
    let extreme = |f: fn(f64, f64) -> f64| a.volts.iter().copied().reduce(f);
    let (max, min) = (extreme(f64::max)?, extreme(f64::min)?);
    let square = a.volts.iter().map(|v| v * v).sum::<f64>() / a.volts.len() as f64;
    let duty = |rising| Some(a.width(rising)? / a.period()?);
    let table: [(&str, &dyn Fn() -> Option<f64>); 26] = [
        ("VMAX", &|| Some(max)),
        ("VMIN", &|| Some(min)),
        ("VPP", &|| Some(max - min)),
        ("VTOP", &|| Some(a.high)),
        ("VBASe", &|| Some(a.low)),
        ("VAMP", &|| Some(a.amplitude())),
        ("VAVG", &|| Some(a.mean())),
        ("VRMS", &|| Some(square.sqrt())),
        ("VMID", &|| Some(0.5 * (a.high + a.low))),
        ("VUPper", &|| Some(a.low + 0.9 * a.amplitude())),
        ("VLOWer", &|| Some(a.low + 0.1 * a.amplitude())),
        ("VARIance", &|| Some(square - a.mean().powi(2))),
        ("OVERshoot", &|| Some((max - a.high) / a.amplitude()).filter(|v| v.is_finite())),
        ("PREShoot", &|| Some((a.low - min) / a.amplitude()).filter(|v| v.is_finite())),
        ("PERiod", &|| a.period()),
        ("FREQuency", &|| a.period().map(f64::recip)),
        ("RTIMe", &|| a.transition(true)),
        ("FTIMe", &|| a.transition(false)),
        ("PWIDth", &|| a.width(true)),
        ("NWIDth", &|| a.width(false)),
        ("PDUTy", &|| duty(true)),
        ("NDUTy", &|| duty(false)),
        ("PEDGes", &|| Some(a.count(true))),
        ("NEDGes", &|| Some(a.count(false))),
        ("RDELay", &|| delay(a, b?, true)),
        ("FDELay", &|| delay(a, b?, false)),
    ];
    table.iter().find(|(pattern, _)| is(pattern)).and_then(|(_, value)| value())
}

/// Running figures of one item.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    count: f64,
    mean: f64,
    squares: f64,
    low: f64,
    high: f64,
    current: f64,
}

impl Figures {
    /// Takes one more value.
    pub(super) fn add(&mut self, value: f64) {
        self.low = if self.count == 0.0 { value } else { self.low.min(value) };
        self.high = if self.count == 0.0 { value } else { self.high.max(value) };
        self.count += 1.0;
        let step = value - self.mean;
        self.mean += step / self.count;
        self.squares += step * (value - self.mean);
        self.current = value;
    }

    /// `MAXimum`, `MINimum`, `CURRent`, `AVERages`, `DEViation`.
    pub(super) fn get(&self, name: &str) -> Option<f64> {
        let table = [
            ("MAXimum", self.high),
            ("MINimum", self.low),
            ("CURRent", self.current),
            ("AVERages", self.mean),
            ("DEViation", (self.squares / self.count.max(1.0)).sqrt()),
        ];
        table.iter().find(|(pattern, _)| word(pattern, name)).map(|(_, v)| *v).filter(|_| self.count > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 0 to 3.3 V pulse, high from `from` to `to` out of 1200 points 1 us apart.
    fn pulse(from: usize, to: usize) -> Picture {
        Picture::new((0..1200).map(|i| if (from..to).contains(&i) { 3.3 } else { 0.0 }).collect(), 1e-6)
    }

    #[test]
    fn levels_widths_and_delays() {
        let (a, b) = (pulse(600, 700), pulse(622, 672));
        let get = |name| item(name, &a, Some(&b)).unwrap();
        assert!((get("VPP") - 3.3).abs() < 1e-9 && (get("VTOP") - 3.3).abs() < 1e-9);
        assert!((get("pwidth") - 100e-6).abs() < 1e-9);
        assert!((get("RDEL") - 22e-6).abs() < 1e-9, "the response comes after the stimulus: positive");
        assert_eq!(item("FDEL", &a, Some(&b)), None, "no falling edge of the response after the stimulus's");
    }

    #[test]
    fn what_cannot_be_measured_is_nothing() {
        let flat = Picture::new(vec![0.0; 1200], 1e-6);
        assert_eq!(item("FREQ", &flat, None), None);
        assert_eq!(item("RDEL", &pulse(10, 20), None), None);
        assert_eq!(item("NONSense", &pulse(10, 20), None), None);
        assert_eq!(item("FREQ", &pulse(10, 20), None), None, "one edge has no period");
    }

    #[test]
    fn statistics_follow_the_values() {
        let mut figures = Figures::default();
        assert_eq!(figures.get("MAX"), None);
        [1.0, 3.0, 2.0].into_iter().for_each(|v| figures.add(v));
        assert_eq!(["MAX", "MIN", "CURR", "AVER"].map(|n| figures.get(n).unwrap()), [3.0, 1.0, 2.0, 2.0]);
        assert!((figures.get("DEViation").unwrap() - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
