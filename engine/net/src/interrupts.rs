//! Ctrl-C.

use signal_hook::consts::SIGINT;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit status of a process that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

/// The first Ctrl-C sets the flag, a second one ends the process.
pub fn listen(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    let status = i32::from(INTERRUPTED);
    signal_hook::flag::register_conditional_shutdown(SIGINT, status, interrupted.clone())?;
    note_all(interrupted)
}

/// Each Ctrl-C sets the flag, for programs that end soon after it. timeout(1) sends two at once, and
/// the second must not lose the result.
pub fn note_all(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register(SIGINT, interrupted.clone()).map(drop)
}
