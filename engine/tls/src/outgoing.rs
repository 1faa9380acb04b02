//! Sealed bytes on their way to the kernel.

use std::sync::Arc;

/// Enough for an alert, so that one never has to be written twice.
const LEAST_ROOM: usize = 64;

/// More than this is not kept after it is sent.
const KEPT: usize = 64 * 1024;

/// Memory for what one connection sends next. It is used again when that is sent.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    bytes: Arc<[u8]>,
    length: usize,
}

impl Outgoing {
    /// Adds what `write` writes. It returns how many bytes that are, or how much room it needs.
    pub(crate) fn write(&mut self, mut write: impl FnMut(&mut [u8]) -> Result<usize, usize>) {
        let mut size = LEAST_ROOM;
        loop {
            match write(self.room(size)) {
                Ok(length) => return self.length += length,
                Err(needed) => size = needed,
            }
        }
    }

    /// All bytes that were added: so many of these.
    pub(crate) fn take(&mut self) -> Option<(Arc<[u8]>, usize)> {
        let length = std::mem::take(&mut self.length);
        if length > KEPT {
            return Some((std::mem::take(&mut self.bytes), length));
        }
        (length > 0).then(|| (self.bytes.clone(), length))
    }

    fn room(&mut self, size: usize) -> &mut [u8] {
        let needed = self.length + size;
        if needed > self.bytes.len() || Arc::get_mut(&mut self.bytes).is_none() {
            let mut bytes = vec![0; needed.max(self.bytes.len())];
            bytes[..self.length].copy_from_slice(&self.bytes[..self.length]);
            self.bytes = bytes.into();
        }
        &mut Arc::get_mut(&mut self.bytes).expect("it is not shared")[self.length..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(outgoing: &mut Outgoing, bytes: &[u8]) {
        outgoing.write(|room| {
            room.get_mut(..bytes.len()).ok_or(bytes.len())?.copy_from_slice(bytes);
            Ok(bytes.len())
        });
    }

    fn taken(outgoing: &mut Outgoing) -> (Arc<[u8]>, Vec<u8>) {
        let (bytes, length) = outgoing.take().unwrap();
        let content = bytes[..length].to_vec();
        (bytes, content)
    }

    #[test]
    fn bytes_are_joined_until_they_are_taken() {
        let mut outgoing = Outgoing::default();
        assert!(outgoing.take().is_none());
        add(&mut outgoing, b"one, ");
        add(&mut outgoing, &[b'2'; 1000]);
        assert_eq!(taken(&mut outgoing).1, [b"one, ".as_slice(), &[b'2'; 1000]].concat());
        assert!(outgoing.take().is_none());
    }

    #[test]
    fn memory_is_used_again_once_it_is_sent() {
        let mut outgoing = Outgoing::default();
        add(&mut outgoing, b"first");
        let (first, _) = taken(&mut outgoing);
        add(&mut outgoing, b"second");
        let (second, _) = taken(&mut outgoing);
        assert!(first.starts_with(b"first") && second.starts_with(b"second"));
        let place = second.as_ptr();
        drop(second);
        add(&mut outgoing, b"third");
        assert_eq!(taken(&mut outgoing).0.as_ptr(), place);
    }

    #[test]
    fn much_memory_is_not_kept() {
        let mut outgoing = Outgoing::default();
        add(&mut outgoing, &vec![1; KEPT + 1]);
        assert_eq!(Arc::strong_count(&taken(&mut outgoing).0), 1);
    }
}
