//! Completions that no kernel gives on request.

use super::*;
use crate::failure::Failure;
use rustix::net::{AddressFamily, SocketType, socket};

/// A kernel without memory ends the wait for a connection with an error of the wait's own, and
/// the socket has none.
#[test]
fn a_wait_that_fails_is_not_a_connection() {
    let Ok(()) = probe() else { return };
    let mut uring = Uring::new(1, Arc::from([]), RingSize::default()).unwrap();
    let fd = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    uring.open(0, Opened { fd, established: false }).unwrap();
    let completion = Completion {
        operation: Operation::Writable,
        key: uring.key(0),
        result: Err(Errno::NOMEM),
        goes_on: false,
        more_to_read: false,
        piece: None,
        accepted: None,
    };
    let event = uring.interpret(completion).unwrap();
    let What::Unconnected(Failure::System(errno)) = event.what else { panic!("{event:?}") };
    assert_eq!(errno, Errno::NOMEM);
}
