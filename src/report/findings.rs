//! What a reader must know beside the numbers of a row. Decided here, once; rendered elsewhere.

use super::{Collector, Row, Warning};
use crate::signal::Status;
use crate::units::Picos;

/// Findings of one configuration, in the order a reader should meet them.
pub(super) fn of(collector: &Collector, row: &Row) -> Vec<Warning> {
    let found = [
        incomplete(row),
        unusable(collector),
        near_spacing(collector, row),
        doubtful(row),
        board_disagrees(collector, row),
        unresolved(collector),
    ];
    let over = row.over_limit().map(|(name, figure, limit)| {
        ("over-limit", format!("{name} is {figure}, over the limit of {limit}"))
    });
    let configuration = Some(row.name.clone());
    let all = found.into_iter().flatten().chain(over).chain(row.scrutiny.findings());
    all.map(|(code, message)| Warning { code, configuration: configuration.clone(), message }).collect()
}

type Finding = Option<(&'static str, String)>;

fn incomplete(row: &Row) -> Finding {
    let message = format!(
        "{} of {} pairs, from {} stimuli in {} shots",
        row.count(),
        row.wanted,
        row.counts.stimuli,
        row.shots
    );
    (!row.complete()).then_some(("incomplete", message))
}

fn unusable(collector: &Collector) -> Finding {
    let (shot, error) = collector.unusable.first()?;
    let n = collector.unusable.len();
    Some(("unusable-shots", format!("{n} shots hold no readable edges; the first, shot {shot}: {error}")))
}

/// Stimuli must be so far apart that even the worst answer comes long before the next one: a worst beyond half the
/// spacing may be cut short by it.
fn near_spacing(collector: &Collector, row: &Row) -> Finding {
    let worst = row.summary.as_ref()?.worst;
    let spacing = collector.plan.spacing.or_else(|| collector.observed_spacing())?.min;
    let wider = Picos((worst * 3).0.div_euclid(1_000_000) * 1_000_000 + 1_000_000);
    let message = format!(
        "the worst of {worst} lies within half of the stimulus spacing of {spacing}: an answer later than that would be lost; use a spacing of at least {wider}"
    );
    (worst * 2 > spacing).then_some(("worst-near-spacing", message))
}

fn doubtful(row: &Row) -> Finding {
    let n = row.counts.ambiguous;
    let list = row.pairs.iter().filter(|p| p.pair.status == Status::Ambiguous).take(5);
    let places = list.map(|p| format!("{}/{}", p.shot, p.number)).collect::<Vec<_>>().join(", ");
    let message = format!(
        "{n} stimuli have answers that may belong to another stimulus and are in no figure (shot/pair {places}{})",
        if n > 5 { ", ..." } else { "" }
    );
    (n > 0).then_some(("ambiguous", message))
}

/// The board's own counters are a second witness: they must agree with what the scope saw.
fn board_disagrees(collector: &Collector, row: &Row) -> Finding {
    let fired: u64 = collector.taken.iter().filter_map(|t| t.stimuli).map(u64::from).sum();
    let lost: u64 = collector.taken.iter().filter_map(|t| t.lost).map(u64::from).sum();
    let seen = row.counts.stimuli;
    let message = format!(
        "the board counted {fired} stimuli, {lost} unanswered; the scope saw {seen} stimuli, {} unanswered: check probes and thresholds",
        row.counts.unanswered
    );
    (fired > 0 && seen != fired && collector.unusable.is_empty()).then_some(("board-disagrees", message))
}

fn unresolved(collector: &Collector) -> Finding {
    let share =
        collector.stimulus.iter().chain(&collector.response).map(|c| c.unresolved).fold(0.0, f64::max);
    let interval = collector.interval()?;
    let message = format!(
        "up to {:.0} % of the edges fall between two samples {interval} apart: each latency is uncertain by one interval",
        share * 100.0
    );
    (share > 0.05).then_some(("unresolved-edges", message))
}
