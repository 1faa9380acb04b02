//! A clock that ticks at equal or at random distances.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The places of ticks, in multiples of their mean distance.
#[derive(Debug)]
pub(super) enum Ticks {
    /// At φ, 1 + φ, 2 + φ…
    Uniform { passed: u64, phase: f64 },
    /// At sums of independent Exp(1).
    Poisson { whole: u64, part: f64, random: Xoshiro256PlusPlus },
}

impl Ticks {
    pub(super) fn uniform(phase: f64) -> Self {
        Self::Uniform { passed: 0, phase }
    }

    /// Equal seeds and streams give equal ticks. Streams are independent of each other.
    pub(super) fn poisson(seed: u64, stream: usize) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..stream).for_each(|_| random.jump());
        let mut ticks = Self::Poisson { whole: 0, part: 0.0, random };
        ticks.skip(1);
        ticks
    }

    /// Advances by this many ticks.
    pub(super) fn skip(&mut self, count: u64) {
        match self {
            Self::Uniform { passed, .. } => *passed += count,
            Self::Poisson { whole, part, random } => {
                for _ in 0..count {
                    *part += exponential(random);
                    // Kept separate, so that small steps after many others lose no precision.
                    let carried = part.floor();
                    *part -= carried;
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                    {
                        *whole += carried as u64;
                    }
                }
            }
        }
    }

    /// The place of the tick.
    pub(super) fn place(&self) -> f64 {
        match self {
            Self::Uniform { passed, phase } => *passed as f64 + phase,
            Self::Poisson { whole, part, .. } => *whole as f64 + part,
        }
    }
}

/// Exp(1), by inversion: unlike a library's distribution it never changes.
fn exponential(random: &mut impl Rng) -> f64 {
    /// 2⁻⁵³: the distance of doubles below 1.
    const STEP: f64 = f64::EPSILON / 2.0;
    let uniform = (random.next_u64() >> 11) as f64 * STEP;
    -(-uniform).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(mut ticks: Ticks, count: usize) -> Vec<f64> {
        let mut next = || {
            let place = ticks.place();
            ticks.skip(1);
            place
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn equal_seeds_give_equal_ticks_in_every_version() {
        let first = places(Ticks::poisson(1, 0), 3);
        let known = [1.669_252_456_512_136, 3.044_032_230_304_686, 3.149_560_430_613_891];
        for (place, known) in first.iter().zip(known) {
            assert!((place - known).abs() < 1e-12, "{first:?}");
        }
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| places(Ticks::poisson(seed, stream), 1)[0].to_bits();
        let mut all = [first(1, 0), first(1, 1), first(1, 2), first(2, 0), first(2, 1)];
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    }

    #[test]
    fn distances_are_exponential() {
        let places = places(Ticks::poisson(7, 0), 100_000);
        let mut gaps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        for share in [0.1, 0.5, 0.9, 0.99, 0.999] {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let gap = gaps[(share * gaps.len() as f64) as usize];
            // F(x) = 1 - e⁻ˣ; five standard errors of a share.
            let error = 5.0 * (share * (1.0 - share) / gaps.len() as f64).sqrt();
            assert!((-(-gap).exp_m1() - share).abs() < error, "{share}: {gap}");
        }
    }

    #[test]
    fn small_steps_behind_many_others_are_kept() {
        let mut ticks = Ticks::poisson(3, 0);
        let Ticks::Poisson { whole, part, .. } = &mut ticks else { unreachable!() };
        (*whole, *part) = (1 << 52, 0.25);
        ticks.skip(1000);
        let Ticks::Poisson { whole, .. } = ticks else { unreachable!() };
        assert!((800..1200).contains(&(whole - (1 << 52))));
    }
}
