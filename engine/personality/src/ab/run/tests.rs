//! Whole runs, against servers of a few lines.

use super::super::arguments::tests::options;
use super::*;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use volley_net::Epoll;

fn loaded(line: &str, addresses: &[SocketAddr]) -> Result<Outcome, Exit> {
    let destination = Destination {
        routes: addresses.iter().map(|address| Arc::new(Route::to(*address))).collect(),
        tls: None,
        unavailable_protocol: None,
        request: Arc::from(&b"GET / HTTP/1.0\r\n\r\n"[..]),
    };
    let printer = Printer { is_for_json: true };
    run::<Epoll>(&options(line), &destination, printer, &AtomicBool::new(false))
}

/// Answers this many connections, and stops listening before it answers the last one.
fn server(answers: usize) -> SocketAddr {
    let mut listener = Some(TcpListener::bind("127.0.0.1:0").unwrap());
    let address = listener.as_ref().unwrap().local_addr().unwrap();
    thread::spawn(move || {
        for left in (0..answers).rev() {
            let (mut stream, _) = listener.as_ref().unwrap().accept().unwrap();
            listener = listener.filter(|_| left > 0);
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nhello");
        }
    });
    address
}

fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[test]
fn of_several_addresses_the_first_that_answers_is_used() {
    let outcome = loaded("-n 3 -c 2 h/", &[nobody(), nobody(), server(9)]).unwrap();
    assert_eq!((outcome.records.len(), outcome.good, outcome.bad), (3, 3, 0));
    assert_eq!((outcome.document_bytes, outcome.body_bytes), (5, 15));
}

#[test]
fn once_one_has_answered_the_others_do_not_matter() {
    let exit = loaded("-n 3 h/", &[server(1), server(9)]).unwrap_err();
    assert_eq!(exit.message, "apr_socket_recv: Connection refused (111)\n");
    assert_eq!((exit.status, exit.done), (111, 1));
}

#[test]
fn no_connection_at_all_is_nothing_to_wait_for() {
    let exit = loaded("-c 0 h/", &[nobody()]).unwrap_err();
    assert_eq!(exit.message, "apr_pollset_poll: Invalid argument (22)\n");
}
