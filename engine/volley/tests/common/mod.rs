//! Small real servers that behave well or badly, and a driver for `volley drive`.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

pub mod driver;
pub mod servers;
