//! The generalised Pareto law of excesses over a threshold, by maximum likelihood. Excesses are in units of their own
//! mean, so that everything here is a number without a unit.

/// Shapes that are searched: below -1/2 the likelihood is no longer regular (Smith 1985), above 1 the law has no mean.
const SHAPES: (f64, f64) = (-0.5, 1.0);
/// Half of the 95 % quantile of chi-squared with one degree of freedom.
const PROFILE_DROP: f64 = 1.920_729_410_347_062;

/// Excesses in rising order.
pub(super) struct Excesses(Vec<f64>);

/// A fitted law: `P(Y > y) = (1 + shape y / scale)^(-1/shape)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pareto {
    pub shape: f64,
    pub scale: f64,
    pub log_likelihood: f64,
}

impl Pareto {
    /// The excess that is exceeded with probability `p`.
    pub fn exceeded_with(&self, p: f64) -> f64 {
        if self.shape.abs() < 1e-9 {
            -self.scale * p.ln()
        } else {
            self.scale * (p.powf(-self.shape) - 1.0) / self.shape
        }
    }

    pub fn cdf(&self, y: f64) -> f64 {
        if self.shape.abs() < 1e-9 {
            return 1.0 - (-y / self.scale).exp();
        }
        let base = (1.0 + self.shape * y / self.scale).max(0.0);
        1.0 - base.powf(-1.0 / self.shape)
    }

    /// Lies at the edge of the shapes that are searched.
    pub fn at_the_edge(&self) -> bool {
        self.shape < SHAPES.0 + 0.01 || self.shape > SHAPES.1 - 0.01
    }
}

impl Excesses {
    /// Positive values in rising order; scaled to a mean of 1. Also gives that mean.
    pub fn of(mut values: Vec<f64>) -> (Excesses, f64) {
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let mean = if mean > 0.0 { mean } else { 1.0 };
        values.iter_mut().for_each(|v| *v /= mean);
        (Excesses(values), mean)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn largest(&self) -> f64 {
        self.0.last().copied().unwrap_or(0.0)
    }

    /// Log-likelihood; minus infinity where a value is impossible.
    fn log_likelihood(&self, shape: f64, scale: f64) -> f64 {
        let n = self.0.len() as f64;
        if scale <= 0.0 || 1.0 + shape * self.largest() / scale <= 0.0 {
            return f64::NEG_INFINITY;
        }
        if shape.abs() < 1e-9 {
            return -n * scale.ln() - self.0.iter().sum::<f64>() / scale;
        }
        let logs: f64 = self.0.iter().map(|y| (shape * y / scale).ln_1p()).sum();
        -n * scale.ln() - (1.0 + 1.0 / shape) * logs
    }

    /// Largest likelihood over scales, for one shape.
    fn best_scale(&self, shape: f64) -> (f64, f64) {
        let smallest = if shape < 0.0 { -shape * self.largest() } else { 0.0 };
        let from = smallest.max(0.05) * (1.0 + 1e-9);
        let to = smallest.max(1.0) * 5.0;
        // In the logarithm of the scale, where the likelihood is close to a parabola.
        let (log_scale, value) = maximum(from.ln(), to.ln(), |s| self.log_likelihood(shape, s.exp()));
        (log_scale.exp(), value)
    }

    /// Maximum likelihood in one dimension (Grimshaw 1993): for a ratio shape / scale, the best shape is a mean.
    pub fn fit(&self) -> Pareto {
        let shape =
            |ratio: f64| self.0.iter().map(|y| (ratio * y).ln_1p()).sum::<f64>() / self.len().max(1) as f64;
        let lowest = (1e-9 - 1.0) / self.largest().max(f64::MIN_POSITIVE);
        let from = root(0.0, lowest, |ratio| SHAPES.0 - shape(ratio));
        let to = root(0.0, 50.0, |ratio| shape(ratio) - SHAPES.1);
        let n = self.len() as f64;
        let likelihood = |ratio: f64| match shape(ratio) {
            _ if ratio.abs() < 1e-9 => -n,
            shape => -n * ((shape / ratio).ln() + shape + 1.0),
        };
        let (ratio, log_likelihood) = maximum(from, to, likelihood);
        let shape = shape(ratio);
        let scale = if ratio.abs() < 1e-9 { 1.0 } else { shape / ratio };
        Pareto { shape, scale, log_likelihood }
    }

    /// 95 % interval of the shape by profile likelihood.
    pub fn shape_interval(&self, fit: &Pareto) -> (f64, f64) {
        let lacking = |shape: f64| fit.log_likelihood - self.best_scale(shape).1 - PROFILE_DROP;
        (root(fit.shape, SHAPES.0, lacking), root(fit.shape, SHAPES.1, lacking))
    }

    /// 95 % interval of the excess that is exceeded with probability `p`, by profile likelihood over the shape.
    pub fn interval(&self, fit: &Pareto, p: f64) -> (f64, f64) {
        let best = fit.exceeded_with(p);
        let lacking = |level: f64| fit.log_likelihood - self.best_shape(level, p) - PROFILE_DROP;
        (root(best, best / 20.0, lacking), root(best, best * 20.0, lacking))
    }

    /// Largest likelihood of laws whose excess at `p` is `level`.
    fn best_shape(&self, level: f64, p: f64) -> f64 {
        let scale = |shape: f64| {
            if shape.abs() < 1e-9 { level / -p.ln() } else { level * shape / (p.powf(-shape) - 1.0) }
        };
        maximum(SHAPES.0, SHAPES.1, |shape| self.log_likelihood(shape, scale(shape))).1
    }

    /// Anderson-Darling distance to `law`: tails weigh most.
    pub fn distance(&self, law: &Pareto) -> f64 {
        let n = self.0.len() as f64;
        let inside = |y: &f64| law.cdf(*y).clamp(1e-15, 1.0 - 1e-15);
        let terms = self.0.iter().zip(self.0.iter().rev()).enumerate();
        let sum: f64 =
            terms.map(|(i, (y, z))| (2.0 * i as f64 + 1.0) * (inside(y).ln() + (1.0 - inside(z)).ln())).sum();
        -n - sum / n
    }
}

/// Place and value of the maximum of a function with one hump, by golden section after a coarse look.
fn maximum(from: f64, to: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const LOOKS: i32 = 8;
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let width = (to - from) / f64::from(LOOKS);
    let looks = (0..=LOOKS).map(|k| from + width * f64::from(k)).map(|x| (x, f(x)));
    let coarse = looks.fold((from, f64::NEG_INFINITY), |best, x| if x.1 > best.1 { x } else { best }).0;
    let (mut low, mut high) = ((coarse - width).max(from), (coarse + width).min(to));
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..24 {
        if at_a < at_b {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = f(b);
        } else {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = f(a);
        }
    }
    if at_a > at_b { (a, at_a) } else { (b, at_b) }
}

/// Where a function that is negative at `inside` turns positive on the way to `outside`; `outside` when it does not.
fn root(inside: f64, outside: f64, f: impl Fn(f64) -> f64) -> f64 {
    if f(outside) <= 0.0 {
        return outside;
    }
    let (mut inside, mut outside) = (inside, outside);
    for _ in 0..24 {
        let middle = f64::midpoint(inside, outside);
        if f(middle) <= 0.0 { inside = middle } else { outside = middle }
    }
    f64::midpoint(inside, outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::synthetic::Random;

    #[track_caller]
    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 2e-4 * expected.abs().max(1.0), "{value} for {expected}");
    }

    /// scipy 1.17.1: `y = s.genpareto.ppf((np.arange(101) + 0.5)/101, 0.15); y /= y.mean()`; likelihood
    /// `s.genpareto.logpdf(y, c, 0, scale).sum()` maximised by `minimize(..., method='Nelder-Mead')`, profiles by
    /// `minimize_scalar`, ends by `brentq` at `s.chi2.ppf(0.95, 1)/2` below.
    #[test]
    fn fit_and_intervals_are_those_of_scipy() {
        let law = Pareto { shape: 0.15, scale: 1.0, log_likelihood: 0.0 };
        let values = (0..101).map(|k| law.exceeded_with(1.0 - (f64::from(k) + 0.5) / 101.0)).collect();
        let (sample, _) = Excesses::of(values);
        let fit = sample.fit();
        near(fit.shape, 0.132_576_4);
        near(fit.scale, 0.868_529_43);
        near(fit.log_likelihood, -100.153_881_874_5);
        near(fit.exceeded_with(0.02), 4.453_118_6);
        let (low, high) = sample.interval(&fit, 0.02);
        near(low, 3.373_277_9);
        near(high, 7.322_048_7);
        let (low, high) = sample.shape_interval(&fit);
        near(low, -0.053_691_8);
        near(high, 0.412_053_7);
    }

    #[test]
    fn intervals_of_the_tail_cover() {
        const REPEATS: usize = 600;
        for (shape, p, seed) in [(0.1, 0.02, 1), (-0.2, 0.005, 2)] {
            let law = Pareto { shape, scale: 1.0, log_likelihood: 0.0 };
            let mut random = Random(seed);
            let truth = law.exceeded_with(p);
            let hits = (0..REPEATS).filter(|_| {
                let drawn = (0..150).map(|_| law.exceeded_with(random.uniform())).collect();
                let (sample, unit) = Excesses::of(drawn);
                let (low, high) = sample.interval(&sample.fit(), p);
                low * unit <= truth && truth <= high * unit
            });
            let share = hits.count() as f64 / REPEATS as f64;
            assert!((0.93..=0.97).contains(&share), "{shape}: {share}");
        }
    }
}
