//! The ring on the kernel's own sockets.

mod connect;
mod sockets;

use std::time::{Duration, Instant};
use volley_ring::{Completion, Ring};

/// The next completion, waited for.
fn next(ring: &mut Ring) -> Completion {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        if let Some(completion) = ring.take() {
            return completion;
        }
        assert!(Instant::now() < until, "nothing completed within 5 s");
        ring.submit_and_wait(100_000_000).unwrap();
    }
}
