//! Handling of Ctrl-C.

#![expect(clippy::disallowed_types, reason = "a signal's handler can set no more than a flag")]

use signal_hook::consts::SIGINT;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The exit status of a process that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

/// A second Ctrl-C that comes sooner is not typed by a person: timeout(1) sends two at once, and
/// the second must not lose the result.
const ECHO: Duration = Duration::from_millis(300);

/// The first Ctrl-C sets the flag; another one ends the process, unless it follows at once.
pub fn listen(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    let may_end = Arc::new(AtomicBool::new(false));
    let status = i32::from(INTERRUPTED);
    signal_hook::flag::register_conditional_shutdown(SIGINT, status, may_end.clone())?;
    let (mut first, told) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGINT, told)?;
    thread::Builder::new().name("Ctrl-C".to_owned()).spawn(move || {
        if first.read_exact(&mut [0]).is_ok() {
            thread::sleep(ECHO);
            may_end.store(true, Ordering::Relaxed);
        }
    })?;
    note_all(interrupted)
}

/// Each Ctrl-C sets the flag, for programs that end soon after it.
pub fn note_all(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register(SIGINT, interrupted.clone()).map(drop)
}
