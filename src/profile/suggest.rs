//! "Did you mean": the nearest of a few known words.

/// Words longer than this are no typing errors of a key; it bounds the work on hostile text.
const LONGEST: usize = 48;

/// The known word nearest to `word`, when it is near enough to be a typing error of it.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > LONGEST {
        return None;
    }
    let near = |k: &str| (distance(word, k), k.len().max(word.len()));
    known
        .into_iter()
        .map(|k| (near(k), k))
        .filter(|((d, len), _)| *d * 3 <= *len)
        .min_by_key(|((d, _), _)| *d)
        .map(|(_, k)| k)
}

/// `; did you mean ...?` or, with nothing near, the list of what there is.
pub(super) fn hint(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(k) => format!("did you mean `{k}`?"),
        None => format!("there is {}", known.join(", ")),
    }
}

/// Edits (insert, delete, replace, swap of neighbours) between two words: the restricted Damerau-Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let at = |r: &[usize], k: usize| r.get(k).copied().unwrap_or(usize::MAX - 1);
            let replace = at(&last, j) + usize::from(ca != cb);
            let best = replace.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(cb) && b.get(j - 1) == Some(ca);
            row.push(if swapped { best.min(at(&before, j - 1) + 1) } else { best });
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_recognised_and_strangers_are_not() {
        let known = ["direct", "thread", "workqueue"];
        for (word, expected) in [
            ("dirct", Some("direct")),
            ("driect", Some("direct")),
            ("workqeue", Some("workqueue")),
            ("banana", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }

    /// Textbook values: kitten -> sitting takes 3 edits, a swap of neighbours takes one.
    #[test]
    fn distance_is_the_textbooks() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
