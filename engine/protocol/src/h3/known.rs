//! The last head for one expectation, by its bytes: equal bytes have equal fields.

use super::qpack;
use crate::fields::{Decoded, Head, Lines};
use std::rc::Rc;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Known {
    block: Vec<u8>,
    to_head: bool,
    head: Option<Head>,
    cost: usize,
    /// What streams have of it, too.
    text: Rc<Vec<u8>>,
}

impl Known {
    /// The outcome of a head that is equal, what it costs, and its text. `room`: what it may cost.
    #[inline]
    pub(super) fn recognise(
        &self,
        block: &[u8],
        to_head: bool,
        room: usize,
    ) -> Option<(Head, usize, &Rc<Vec<u8>>)> {
        let head = self.head?;
        let is_known = self.block == block && self.to_head == to_head && self.cost <= room;
        is_known.then_some((head, self.cost, &self.text))
    }

    /// Remembers a final head that was decoded just now.
    pub(super) fn learn(
        &mut self,
        block: &[u8],
        to_head: bool,
        (head, cost): (Head, usize),
        text: &[u8],
    ) {
        self.block.clear();
        self.block.extend_from_slice(block);
        let own = Rc::make_mut(&mut self.text);
        own.clear();
        own.extend_from_slice(text);
        (self.to_head, self.head, self.cost) = (to_head, Some(head), cost);
    }
}

/// Decodes a head into `text`, as [`Lines`] has it.
pub(super) fn decode(
    block: &[u8],
    is_trailer: bool,
    room: usize,
    text: &mut Vec<u8>,
) -> Result<Decoded, &'static str> {
    let mut lines = Lines::new("HTTP/3", is_trailer, room, text);
    qpack::decode(block, |name, value| lines.take(name, value))?;
    lines.end()
}
