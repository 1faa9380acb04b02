//! What tests of the library share: loads that run in this process, real servers, a watchdog.
#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test binary uses its part")]

pub mod guard;
pub mod loading;
pub mod random;
pub mod sealed;
pub mod servers;
pub mod streams;
pub mod yardstick;
