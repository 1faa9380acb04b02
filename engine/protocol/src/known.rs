//! The last head for one expectation, by its bytes in HPACK or QPACK: equal bytes have equal
//! fields.

use crate::fields::Head;
use std::collections::VecDeque;
use std::rc::Rc;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct KnownHead {
    block: Vec<u8>,
    to_head: bool,
    head: Option<Head>,
    cost: usize,
    /// The text, which streams may share.
    text: Rc<Vec<u8>>,
    /// Texts of former heads, which streams may still share: their memory is reused.
    former: VecDeque<Rc<Vec<u8>>>,
}

impl KnownHead {
    /// The outcome of an equal head, its cost, and its text. `room`: its limit of cost.
    #[inline]
    pub(crate) fn recognise(
        &self,
        block: &[u8],
        to_head: bool,
        room: usize,
    ) -> Option<(Head, usize, &Rc<Vec<u8>>)> {
        let head = self.head?;
        let is_known = self.block == block && self.to_head == to_head && self.cost <= room;
        is_known.then_some((head, self.cost, &self.text))
    }

    /// Remembers a final head that was just decoded.
    pub(crate) fn learn(
        &mut self,
        block: &[u8],
        to_head: bool,
        (head, cost, text): (Head, usize, &[u8]),
    ) {
        self.block.clear();
        self.block.extend_from_slice(block);
        let mut latest = self.former.pop_front().unwrap_or_default();
        if Rc::get_mut(&mut latest).is_none() {
            self.former.push_back(std::mem::take(&mut latest));
        }
        let bytes = Rc::get_mut(&mut latest).expect("no stream has it");
        bytes.clear();
        bytes.extend_from_slice(text);
        self.former.push_back(std::mem::replace(&mut self.text, latest));
        (self.to_head, self.head, self.cost) = (to_head, Some(head), cost);
    }

    pub(crate) fn forget(&mut self) {
        self.head = None;
    }
}
