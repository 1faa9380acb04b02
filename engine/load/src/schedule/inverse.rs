//! The time at which a number of requests is due.

use super::profile::{Profile, Stage};
use std::vec;
use volley_net::clock::S;

/// Λ⁻¹ of a rate, for numbers that do not decrease from call to call.
#[derive(Debug)]
pub(super) struct Inverse {
    stage: Stage,
    /// How fast the stage's rate changes, in 1/s².
    slope: f64,
    start_ns: u64,
    /// Λ at the stage's start.
    below: f64,
    /// Λ at the stage's end.
    up_to: f64,
    later: vec::IntoIter<Stage>,
}

impl Inverse {
    pub(super) fn of(rate: &Profile) -> Self {
        let nothing = Stage { duration_ns: 0, from: 0.0, to: 0.0 };
        let later = rate.stages().to_vec().into_iter();
        Self { stage: nothing, slope: 0.0, start_ns: 0, below: 0.0, up_to: 0.0, later }
    }

    /// When `number` requests are due, in ns from the start; `u64::MAX` if that many never are.
    pub(super) fn at(&mut self, number: f64) -> u64 {
        while number > self.up_to {
            let Some(stage) = self.later.next() else { return u64::MAX };
            self.start_ns = self.start_ns.saturating_add(self.stage.duration_ns);
            self.below = self.up_to;
            self.up_to += stage.area(stage.duration_ns);
            self.slope = stage.slope();
            self.stage = stage;
        }
        // r₀t + at²/2 = x, solved for t in the form that does not subtract nearly equal numbers
        // and needs no case for a = 0.
        let Stage { duration_ns, from, .. } = self.stage;
        let x = number - self.below;
        let root = (from * from + 2.0 * self.slope * x).max(0.0).sqrt();
        let into_ns = nanoseconds(2.0 * x / (from + root));
        self.start_ns.saturating_add(into_ns.min(duration_ns))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * S as f64 + 0.5) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inverse(stages: &[(u64, f64, f64)]) -> Inverse {
        let stage = |&(seconds, from, to)| Stage { duration_ns: seconds * S, from, to };
        Inverse::of(&Profile::new(stages.iter().map(stage).collect()))
    }

    #[test]
    fn a_constant_rate_is_exact_after_hours() {
        let mut inverse = inverse(&[(86_400, 1e6, 1e6)]);
        for second in [0, 1, 3600, 86_399] {
            let number = second as f64 * 1e6 + 0.5;
            assert_eq!(inverse.at(number), second * S + 500, "{second}");
        }
    }

    #[test]
    fn a_ramp_follows_its_parabola() {
        // N(t) = 5 t²: 20 are due after 2 s, 125 after 5 s.
        let mut up = inverse(&[(10, 0.0, 100.0)]);
        assert_eq!([20.0, 125.0, 500.0, 500.1].map(|n| up.at(n)), [2 * S, 5 * S, 10 * S, u64::MAX]);
        // N(t) = 100 t - 5 t².
        let mut down = inverse(&[(10, 100.0, 0.0)]);
        assert_eq!([180.0, 375.0, 500.0].map(|n| down.at(n)), [2 * S, 5 * S, 10 * S]);
    }

    #[test]
    fn a_stage_without_requests_only_takes_time() {
        let mut inverse = inverse(&[(3, 0.0, 0.0), (1, 2.0, 2.0), (5, 0.0, 0.0), (1, 2.0, 2.0)]);
        let due = [0.5, 1.5, 2.5, 3.5, 4.5].map(|number| inverse.at(number));
        assert_eq!(due, [3.25, 3.75, 9.25, 9.75, 1e99].map(nanoseconds));
    }
}
