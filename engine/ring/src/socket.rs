//! Sockets that a ring's requests name: the process's, and those that only the ring knows.

use crate::lacking;
use io_uring::{Probe, Submitter, opcode};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::io;

/// Lets `connect` choose the port of a socket that is bound to an address, for its destination alone.
pub fn leave_port_to_connect(socket: BorrowedFd<'_>) -> Result<(), Errno> {
    let (level, option, on) = (libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT, &raw const ON);
    // SAFETY: the kernel reads an int, which has 4 bytes, during the call.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, on.cast(), 4) };
    if result == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}

/// The value of an option that is switched on.
pub(crate) static ON: i32 = 1;

/// A socket that is one ring's to use.
#[derive(Debug)]
pub enum Socket {
    /// It has a number in the process.
    Numbered(OwnedFd),
    /// Only the ring that made it knows it. It is open until that ring closes it, or goes.
    Direct(Direct),
}

/// A place in a ring's table of sockets.
#[derive(Debug)]
pub struct Direct(pub(crate) u32);

/// How a request names its socket.
#[derive(Debug, Clone, Copy)]
pub enum Named<'a> {
    /// By its number in the process.
    Number(BorrowedFd<'a>),
    /// By its place in the ring's table.
    Place(u32),
}

impl<'a> From<BorrowedFd<'a>> for Named<'a> {
    #[inline]
    fn from(fd: BorrowedFd<'a>) -> Self {
        Self::Number(fd)
    }
}

impl<'a> From<&'a Socket> for Named<'a> {
    #[inline]
    fn from(socket: &'a Socket) -> Self {
        match socket {
            Socket::Numbered(fd) => Self::Number(fd.as_fd()),
            Socket::Direct(direct) => Self::Place(direct.0),
        }
    }
}

impl<T: Into<OwnedFd>> From<T> for Socket {
    fn from(fd: T) -> Self {
        Self::Numbered(fd.into())
    }
}

/// The ring's table of sockets: which places are free.
#[derive(Debug)]
pub(crate) enum Table {
    /// There is none yet, but there may be one of so many places.
    Possible(u32),
    /// These are free.
    Free(Vec<u32>),
    /// The kernel lacks what it takes.
    Impossible,
}

impl Table {
    /// A place for a new socket; `None`: there is none.
    #[inline]
    pub(crate) fn take(&mut self, submitter: &Submitter<'_>) -> Option<Direct> {
        if let Self::Possible(places) = *self {
            *self = register(submitter, places).map_or(Self::Impossible, Self::Free);
        }
        match self {
            Self::Free(free) => free.pop().map(Direct),
            _ => None,
        }
    }

    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a place that was given back is gone")]
    pub(crate) fn give_back(&mut self, direct: Direct) {
        if let Self::Free(free) = self {
            free.push(direct.0);
        }
    }

    /// Closes the sockets that are left, at once: else the kernel does it some time after the ring's
    /// end.
    pub(crate) fn clear(&mut self, submitter: &Submitter<'_>) {
        if let Self::Free(_) = self {
            // If that fails, the end of the ring closes them.
            let _ = submitter.unregister_files();
            *self = Self::Impossible;
        }
    }
}

/// Makes the table, where the kernel has all operations that sockets without numbers need (6.11).
fn register(submitter: &Submitter<'_>, places: u32) -> io::Result<Vec<u32>> {
    let mut probe = Probe::new();
    submitter.register_probe(&mut probe)?;
    // The youngest of them: what has this one has the others.
    if !probe.is_supported(opcode::Bind::CODE) {
        return Err(lacking("sockets without a number"));
    }
    // A process may not have more of them than open files.
    let fewer = [places, places / 2]
        .into_iter()
        .find(|&places| places > 0 && submitter.register_files_sparse(places).is_ok());
    Ok((0..fewer.unwrap_or(0)).rev().collect())
}
