//! Memory that the kernel receives into: a ring of buffers of one size.

use io_uring::Submitter;
use io_uring::types::BufRingEntry;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::io;
use std::num::NonZeroU32;
use std::ptr::NonNull;

/// The only group of buffers that a ring has.
pub(crate) const GROUP: u16 = 0;

/// The distance between buffers exceeds their length by this. If they were a power of two apart,
/// their first lines, the only ones that small messages touch, would share few of a cache's sets.
const STAGGER: usize = 64;

/// The kernel requires the ring itself at the start of a page.
const PAGE: usize = 4096;

/// Some bytes that were received. They stay in place until the piece is given back. Dropping a
/// piece loses its buffer for good: where our own code is checked, that is a panic.
///
/// A piece belongs to the ring that received it; any other refuses it.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "its buffer is lost unless it is given back"]
pub struct Piece {
    /// Never 0, so that an `Option<Piece>` is no larger than a piece.
    ring: NonZeroU32,
    buffer: u16,
    length: u32,
}

impl Piece {
    /// How many bytes there are.
    #[inline]
    #[must_use]
    pub fn length(&self) -> usize {
        self.length as usize
    }
}

impl Drop for Piece {
    #[inline]
    fn drop(&mut self) {
        debug_assert!(std::thread::panicking(), "a piece was not given back: its buffer is lost");
    }
}

pub(crate) struct Buffers {
    ring: NonZeroU32,
    entries: NonNull<BufRingEntry>,
    bytes: NonNull<u8>,
    count: u16,
    size: u32,
    /// Where the next buffer is given back; the kernel sees the buffer once it is published.
    tail: u16,
    /// How many buffers are pieces that have not been given back.
    out: u16,
}

impl Buffers {
    /// `count` buffers, a power of two, of `size` bytes each. The kernel has none of them yet.
    pub(crate) fn new(ring: NonZeroU32, count: u16, size: u32) -> Self {
        assert!(count.is_power_of_two() && size > 0, "{count} buffers of {size} bytes");
        let entries = allocate(Self::entries_layout(count)).cast();
        let bytes = allocate(Self::bytes_layout(count, size));
        let mut buffers = Self { ring, entries, bytes, count, size, tail: 0, out: 0 };
        (0..count).for_each(|buffer| buffers.put(buffer));
        buffers
    }

    /// Gives the buffers to the kernel.
    pub(crate) fn register(&mut self, submitter: &Submitter<'_>) -> io::Result<()> {
        let address = self.entries.addr().get() as u64;
        // SAFETY: the memory lives as long as `self`, which outlives the ring's last request:
        // `Ring` frees its buffers only when all of them have completed.
        unsafe { submitter.register_buf_ring_with_flags(address, self.count, GROUP, 0) }?;
        self.publish();
        Ok(())
    }

    /// The piece that a completion names.
    #[inline]
    pub(crate) fn piece(&mut self, buffer: u16, length: u32) -> Piece {
        assert!(buffer < self.count && length <= self.size, "the kernel named a buffer we lack");
        self.out += 1;
        Piece { ring: self.ring, buffer, length }
    }

    /// Another ring's buffers may be fewer or smaller, or in use by the kernel.
    #[inline]
    fn check(&self, piece: &Piece) {
        assert!(piece.ring == self.ring, "a piece of another ring");
    }

    #[inline]
    pub(crate) fn bytes(&self, piece: &Piece) -> &[u8] {
        self.check(piece);
        let start = piece.buffer as usize * self.stride();
        // SAFETY: `piece()` of these very buffers checked the bounds, and a `Piece` is neither made
        // elsewhere nor copied: while it exists the buffer has not been given back, so the kernel
        // does not write to it.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().add(start), piece.length as usize) }
    }

    #[inline]
    pub(crate) fn bytes_mut(&mut self, piece: &mut Piece) -> &mut [u8] {
        self.check(piece);
        let start = piece.buffer as usize * self.stride();
        // SAFETY: as in `bytes()`; and who borrows both has the only reference to these bytes.
        unsafe {
            let start = self.bytes.as_ptr().add(start);
            std::slice::from_raw_parts_mut(start, piece.length as usize)
        }
    }

    #[inline]
    pub(crate) fn release(&mut self, piece: Piece) {
        self.check(&piece);
        self.put(piece.buffer);
        self.publish();
        self.out -= 1;
        std::mem::forget(piece);
    }

    pub(crate) fn all_are_out(&self) -> bool {
        self.out == self.count
    }

    #[inline]
    fn put(&mut self, buffer: u16) {
        let offset = buffer as usize * self.stride();
        let place = (self.tail & (self.count - 1)) as usize;
        // SAFETY: `place` is within the ring's `count` entries and `offset` within the bytes. The
        // entry behind the tail is ours until the tail is published. Only address, length and
        // number are set, so the tail, which lies in the first entry's spare bytes, is kept.
        unsafe {
            let entry = &mut *self.entries.as_ptr().add(place);
            entry.set_addr(self.bytes.as_ptr().add(offset).addr() as u64);
            entry.set_len(self.size);
            entry.set_bid(buffer);
        }
        self.tail = self.tail.wrapping_add(1);
    }

    #[inline]
    #[expect(clippy::disallowed_types, reason = "what this thread shares with the kernel")]
    fn publish(&mut self) {
        use std::sync::atomic::{AtomicU16, Ordering};
        // SAFETY: the first entry exists and is initialised, so the tail in it is a valid u16 that
        // only we write. The kernel reads it, hence the atomic store.
        unsafe {
            let tail = BufRingEntry::tail(self.entries.as_ptr()).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
        }
    }

    /// The distance from the beginning of one buffer to that of the next.
    #[inline]
    fn stride(&self) -> usize {
        self.size as usize + STAGGER
    }

    fn entries_layout(count: u16) -> Layout {
        let bytes = count as usize * size_of::<BufRingEntry>();
        Layout::from_size_align(bytes, PAGE).expect("at most 512 KiB")
    }

    fn bytes_layout(count: u16, size: u32) -> Layout {
        let bytes = count as usize * (size as usize + STAGGER);
        Layout::from_size_align(bytes, PAGE).expect("it fits memory")
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: both were allocated with just these layouts, and nothing refers to them: no
        // request is left that the kernel could serve (see `register`), and `bytes()` borrows
        // `self`.
        unsafe {
            dealloc(self.entries.as_ptr().cast(), Self::entries_layout(self.count));
            dealloc(self.bytes.as_ptr(), Self::bytes_layout(self.count, self.size));
        }
    }
}

fn allocate(layout: Layout) -> NonNull<u8> {
    assert!(layout.size() > 0);
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}
