//! Sockets that a ring's requests name: those of the process, and those that only the ring knows.

use crate::lacking;
use io_uring::{Probe, Submitter, opcode};
use rustix::fd::{AsRawFd, BorrowedFd, RawFd};
use rustix::io::Errno;
use std::io;
use std::num::NonZeroU32;

/// An option of a socket that rustix does not have.
#[derive(Debug, Clone, Copy)]
pub enum Switch {
    /// If it is bound to an address, `connect` chooses its port, for its destination alone.
    PortByConnect,
    /// Successive datagrams from one address may be received as one piece.
    JoinDatagrams,
    /// Datagrams of IPv6 are never sent in fragments.
    WholeDatagrams,
}

/// Switches an option on.
pub fn switch_on(socket: BorrowedFd<'_>, switch: Switch) -> Result<(), Errno> {
    let (level, option) = match switch {
        Switch::PortByConnect => (libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT),
        Switch::JoinDatagrams => (libc::IPPROTO_UDP, libc::UDP_GRO),
        Switch::WholeDatagrams => (libc::IPPROTO_IPV6, libc::IPV6_DONTFRAG),
    };
    let on = (&raw const ON).cast();
    // SAFETY: the kernel reads an int, which has 4 bytes, during the call.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, on, 4) };
    if result == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}

/// The value of an option that is switched on.
pub(crate) static ON: i32 = 1;
pub(crate) static OFF: i32 = 0;

/// A socket of one ring, which alone may use it and close it. If this is dropped, the socket stays
/// open as long as the ring.
#[derive(Debug)]
#[must_use = "it stays open as long as the ring"]
pub struct Socket {
    pub(crate) ring: NonZeroU32,
    pub(crate) name: Name,
}

/// How requests name a socket.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Name {
    /// By its number in the process. The ring holds the descriptor, in this place of its `held`.
    Number(RawFd, usize),
    /// By its place in the ring's table.
    Place(u32),
}

/// The ring's table of sockets: which places are free.
#[derive(Debug)]
pub(crate) enum Table {
    /// There is no table yet, but there may be one with this many places.
    Possible(u32),
    /// These places are free.
    Free(Vec<u32>),
    /// The kernel lacks a required feature.
    Impossible,
}

impl Table {
    /// A place for a new socket; `None` if all are taken.
    #[inline]
    pub(crate) fn take(&mut self, submitter: &Submitter<'_>) -> Option<u32> {
        if let Self::Possible(places) = *self {
            *self = register(submitter, places).map_or(Self::Impossible, Self::Free);
        }
        match self {
            Self::Free(free) => free.pop(),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn release(&mut self, place: u32) {
        if let Self::Free(free) = self {
            free.push(place);
        }
    }

    /// Closes the remaining sockets at once: otherwise the kernel does it some time after the
    /// ring's end.
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
    // The youngest of them: a kernel that has this one has the others.
    if !probe.is_supported(opcode::Bind::CODE) {
        return Err(lacking("sockets without a number"));
    }
    // A process may not have more places than open files.
    let fewer = [places, places / 2]
        .into_iter()
        .find(|&places| places > 0 && submitter.register_files_sparse(places).is_ok());
    Ok((0..fewer.unwrap_or(0)).rev().collect())
}
