//! Looks on while the target is loaded: shows, writes, and heeds Ctrl-C.

use super::LoadError;
use super::progress::Progress;
use super::records::Records;
use crate::clock::S;
use crate::crew::Look;
use crate::errors::io_words;
use crate::slice::Wish;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long answers are waited for after an interruption.
const PATIENCE_NS: u64 = S;

/// Looks on.
#[derive(Debug)]
pub(super) struct Watch {
    interrupted: Arc<AtomicBool>,
    leave_at_ns: u64,
    progress: Progress,
    records: Records,
    /// Why the records end.
    failure: Option<io::Error>,
}

impl Watch {
    /// `interrupted` becomes true when the user has had enough.
    pub(super) fn new(
        interrupted: Arc<AtomicBool>,
        requests: Option<u64>,
        records: Records,
    ) -> Self {
        let progress = Progress::new(requests);
        Self { interrupted, leave_at_ns: u64::MAX, progress, records, failure: None }
    }

    /// How it goes, and whether it is to go on.
    pub(super) fn look(&mut self, look: &Look<'_>) -> Wish {
        self.progress.show(look);
        if self.failure.is_none() {
            self.failure = self.records.add(look).err();
        }
        if self.failure.is_none() && !self.interrupted.load(Ordering::Relaxed) {
            return Wish::GoOn;
        }
        self.leave_at_ns = self.leave_at_ns.min(look.now_ns + PATIENCE_NS);
        if look.now_ns < self.leave_at_ns { Wish::Drain } else { Wish::Leave }
    }

    /// Takes the progress away; tells whether all records were written.
    pub(super) fn end(self) -> Result<(), LoadError> {
        self.progress.clear();
        match self.failure {
            None => Ok(()),
            Some(error) => {
                let why = io_words(&error);
                Err(LoadError::System(format!("cannot write --csv or --hdr: {why}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::load_args;
    use crate::pace::Window;

    #[test]
    fn an_interruption_waits_a_second_for_answers() {
        let interrupted = Arc::new(AtomicBool::new(false));
        let records = Records::create(&load_args("").output).unwrap();
        let mut watch = Watch::new(interrupted.clone(), None, records);
        let window = Window { start_ns: 0, end_ns: 100 * S };
        let mut wish = |now_ns| {
            let look = Look { now_ns, window: &window, requests: 0, errors: 0, intervals: vec![] };
            watch.look(&look)
        };
        assert_eq!(wish(S), Wish::GoOn);
        interrupted.store(true, Ordering::Relaxed);
        assert_eq!((wish(2 * S), wish(3 * S - 1)), (Wish::Drain, Wish::Drain));
        assert_eq!(wish(3 * S), Wish::Leave);
    }
}
