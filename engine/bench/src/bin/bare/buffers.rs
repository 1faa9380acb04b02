//! Buffers that the kernel receives into.

#![expect(unsafe_code, reason = "the kernel reads and writes this memory")]

use io_uring::Submitter;
use io_uring::types::BufRingEntry;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::io;
use std::sync::atomic::{AtomicU16, Ordering};

/// The only group.
pub(crate) const GROUP: u16 = 0;

/// Few enough that the parts of them that small answers touch stay hot, large enough that large
/// answers take few receives.
const COUNT: u16 = 64;
const SIZE: usize = 32 * 1024;

/// The distance between buffers exceeds their length by a line: their beginnings lie in different
/// sets of the caches.
const STRIDE: usize = SIZE + 64;

/// All of them. They live as long as the process: the kernel may write to them until then.
pub(crate) struct Buffers {
    entries: *mut BufRingEntry,
    bytes: *mut u8,
    tail: u16,
}

/// Memory that begins at the start of a page.
fn pages(bytes: usize) -> *mut u8 {
    let layout = Layout::from_size_align(bytes, 4096).expect("it fits memory");
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() { handle_alloc_error(layout) } else { memory }
}

impl Buffers {
    /// Gives the kernel all buffers.
    pub(crate) fn register(submitter: &Submitter<'_>) -> io::Result<Self> {
        let entries = pages(COUNT as usize * size_of::<BufRingEntry>()).cast();
        let mut buffers = Self { entries, bytes: pages(COUNT as usize * STRIDE), tail: 0 };
        (0..COUNT).for_each(|buffer| buffers.release(buffer));
        // SAFETY: the memory is never freed, and has room for COUNT entries.
        unsafe { submitter.register_buf_ring_with_flags(entries as u64, COUNT, GROUP, 0) }?;
        Ok(buffers)
    }

    /// Gives the kernel a buffer back.
    pub(crate) fn release(&mut self, buffer: u16) {
        let place = (self.tail & (COUNT - 1)) as usize;
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: both lie within what was allocated, and the entry is ours until the tail, which
        // lies in the first one, is past it.
        unsafe {
            let entry = &mut *self.entries.add(place);
            entry.set_addr(self.bytes.add(buffer as usize * STRIDE) as u64);
            entry.set_len(u32::try_from(SIZE).expect("it is 32 KiB"));
            entry.set_bid(buffer);
            let tail = BufRingEntry::tail(self.entries).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
        }
    }
}
