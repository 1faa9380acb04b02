//! Small real servers that behave well or badly, the yardstick, `volley` as a command, and a driver
//! for `volley drive`.
#![allow(dead_code, unreachable_pub, unused_macros, reason = "each test file uses its part")]

pub mod command;
#[path = "../../../load/tests/world/servers.rs"]
pub mod conversations;
#[macro_use]
pub mod driver;
pub mod servers;
#[path = "../../../load/tests/world/yardstick.rs"]
pub mod yardstick;
