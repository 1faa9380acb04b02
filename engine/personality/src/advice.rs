//! Advice on standard error: what the figures of the original program hide.

use super::extras::Extras;
use std::io::{Write, stderr};
use volley_load::figures::BUSY;

/// Prints each sentence on its own line, unless advice is off.
pub(crate) fn advise(extras: Extras, sentences: impl IntoIterator<Item = String>) {
    if extras.quiet_advice {
        return;
    }
    for sentence in sentences {
        // There is nowhere to report a failure.
        let _ = writeln!(stderr(), "advice: {sentence}");
    }
}

/// A closed loop waits for the server, so it does not measure what independent users would see.
pub(crate) fn coordinated_omission() -> String {
    "these latencies are those of a closed loop at saturation: while an answer is late nobody asks, \
     so users would see longer ones (coordinated omission); bakeoff load --rate measures them"
        .to_owned()
}

/// The generator had no time left: `busy` is the share of the time in which it worked.
pub(crate) fn generator_was_the_limit(busy: f64) -> Option<String> {
    (busy > BUSY).then(|| {
        format!(
            "the limit may have been this generator, which was busy {:.0} % of the time: the \
             server may be faster",
            100.0 * busy
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_generator_says_so() {
        assert_eq!(generator_was_the_limit(0.9), None);
        let advice = generator_was_the_limit(0.95).unwrap();
        assert!(advice.contains("busy 95 % of the time"), "{advice}");
    }
}
