//! A stream of server-sent events: never a panic, bounded memory, and cuts change nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volley_protocol::events::{EventCheck, EventReader};

type Outcome = (Vec<(Vec<u8>, Vec<u8>)>, Option<&'static str>);

fn outcome<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Outcome {
    let (mut reader, mut check, mut events) =
        (EventReader::default(), EventCheck::default(), Vec::new());
    let expected = [b"first".to_vec(), b"second".to_vec()];
    for piece in pieces {
        let fed = reader.feed(piece, |event| {
            check.push(event, &expected);
            events.push((event.data.to_vec(), event.id.to_vec()));
        });
        assert_eq!(check.count(), events.len() as u64);
        if let Err(what) = fed {
            return (events, Some(what));
        }
    }
    let faults = check.faults();
    assert!(faults.doubled + faults.out_of_order <= check.count());
    (events, None)
}

fuzz_target!(|input: &[u8]| {
    let [size, stream @ ..] = input else { return };
    let whole = outcome(std::iter::once(stream));
    assert_eq!(whole, outcome(stream.chunks(usize::from(*size).max(1))));
});
