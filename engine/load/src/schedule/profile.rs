//! A level that changes over time.

use volley_net::clock::S;

/// A level, of connections or of requests per second, that changes over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    stages: Vec<Stage>,
}

/// A stretch in which the level changes linearly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// How long it lasts.
    pub duration_ns: u64,
    /// The level at its start.
    pub from: f64,
    /// The level at its end.
    pub to: f64,
}

impl Profile {
    /// Stages, one after the other.
    pub fn new(stages: Vec<Stage>) -> Self {
        Self { stages }
    }

    /// The stages.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// How long all stages last.
    pub fn duration_ns(&self) -> u64 {
        self.stages.iter().fold(0, |sum, stage| sum.saturating_add(stage.duration_ns))
    }

    /// The level at an offset from the start; after the end, the last one. Where two stages meet it
    /// is that of the later one.
    pub fn level(&self, offset_ns: u64) -> f64 {
        let mut into_ns = offset_ns;
        for stage in &self.stages {
            if into_ns < stage.duration_ns {
                return stage.level(into_ns);
            }
            into_ns -= stage.duration_ns;
        }
        self.stages.last().map_or(0.0, |stage| stage.to)
    }

    /// The integral of the level over time in seconds, up to an offset: of a rate, Λ.
    pub fn area(&self, offset_ns: u64) -> f64 {
        let (mut area, mut into_ns) = (0.0, offset_ns);
        for stage in &self.stages {
            area += stage.area(into_ns.min(stage.duration_ns));
            into_ns = into_ns.saturating_sub(stage.duration_ns);
        }
        area
    }
}

impl Stage {
    /// How fast the level changes, per second.
    pub(super) fn slope(&self) -> f64 {
        if self.duration_ns == 0 { 0.0 } else { (self.to - self.from) / seconds(self.duration_ns) }
    }

    fn level(&self, into_ns: u64) -> f64 {
        self.from + self.slope() * seconds(into_ns)
    }

    pub(super) fn area(&self, into_ns: u64) -> f64 {
        f64::midpoint(self.from, self.level(into_ns)) * seconds(into_ns)
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / S as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        let stage = |seconds, from, to| Stage { duration_ns: seconds * S, from, to };
        Profile::new(vec![stage(10, 0.0, 100.0), stage(5, 0.0, 0.0), stage(10, 50.0, 30.0)])
    }

    #[test]
    fn the_level_goes_in_straight_lines_and_stays_at_the_last() {
        let levels =
            [0, 1, 5, 10, 12, 15, 20, 25, 99].map(|second| profile().level(second * S).round());
        assert_eq!(format!("{levels:?}"), "[0.0, 10.0, 50.0, 0.0, 0.0, 50.0, 40.0, 30.0, 30.0]");
        assert_eq!(profile().duration_ns(), 25 * S);
    }

    #[test]
    fn the_area_is_the_integral_of_the_level() {
        let areas = [0, 5, 10, 15, 20, 25, 99].map(|second| profile().area(second * S).round());
        assert_eq!(format!("{areas:?}"), "[0.0, 125.0, 500.0, 500.0, 725.0, 900.0, 900.0]");
    }

    #[test]
    fn nothing_at_all_is_a_level_of_0() {
        let nothing = Profile::new(vec![]);
        assert_eq!((nothing.level(1), nothing.area(1), nothing.duration_ns()), (0.0, 0.0, 0));
    }
}
