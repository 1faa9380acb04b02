//! How to wait for work: how long to poll before sleeping, how early to wake up.

use crate::backend::Backend;
use crate::clock::now_ns;
use crate::limits;
use std::io::Result;

/// How long to poll before sleeping, and how early to wake up ahead of a deadline.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    poll_ns: u64,
    early_ns: u64,
}

impl Patience {
    /// For a machine that has cores to spare.
    ///
    /// The server pays for waking a sleeping generator, within its own send: nginx with 64
    /// connections took 12.5 µs of CPU per request with a generator that slept at once (0.4 sleeps
    /// per request) and 10.4 µs with one that polled for 50 µs (0.001 sleeps), which made it a
    /// quarter faster. A sleep also ends some 50 µs late, which would delay a schedule.
    const POLLS: Self = Self { poll_ns: 50_000, early_ns: 60_000 };

    /// For a single core, where the time that polling takes is worth more to the server.
    pub const SLEEPS: Self = Self { poll_ns: 0, early_ns: 0 };

    /// The patience that suits this machine.
    pub fn here() -> Self {
        if limits::single_core() { Self::SLEEPS } else { Self::POLLS }
    }

    /// Polls for a short while, then sleeps until an event or `until_ns`. Returns when the sleep
    /// began and ended.
    pub fn wait(self, io: &mut impl Backend, until_ns: u64) -> Result<(u64, u64)> {
        let from_ns = now_ns();
        let mut now_ns = from_ns;
        while now_ns < until_ns && !io.has_news()? {
            let left_ns = until_ns - now_ns;
            if now_ns - from_ns >= self.poll_ns && left_ns > self.early_ns {
                io.wait(left_ns - self.early_ns)?;
            } else {
                std::hint::spin_loop();
            }
            now_ns = crate::clock::now_ns();
        }
        Ok((from_ns, now_ns))
    }

    /// Hands over the queued sends and, where there are cores to spare, lets more events gather
    /// until `until_ns`. Returns when that began and ended.
    pub fn gather(self, io: &mut impl Backend, until_ns: u64) -> Result<(u64, u64)> {
        let from_ns = now_ns();
        let mut now_ns = from_ns;
        if self.poll_ns > 0 && from_ns < until_ns {
            io.hand_over()?;
            while now_ns < until_ns {
                std::hint::spin_loop();
                now_ns = crate::clock::now_ns();
            }
        }
        Ok((from_ns, now_ns))
    }

    /// Hands over the queued sends and collects events; if there are none, waits until `until_ns`.
    /// Returns how long it waited.
    pub fn turn(self, io: &mut impl Backend, until_ns: u64) -> Result<u64> {
        io.turn()?;
        if io.has_news()? {
            return Ok(0);
        }
        let (from_ns, to_ns) = self.wait(io, until_ns)?;
        io.turn()?;
        Ok(to_ns - from_ns)
    }
}
