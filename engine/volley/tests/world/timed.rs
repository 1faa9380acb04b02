//! A server that answers each request when its law says, and logs when it did.
//!
//! One thread and epoll, so any number of connections. Service is virtual: the law says when a
//! request that arrives now would be done, and at that moment the answer is sent. So what a server
//! does is exactly known, while the requests and answers are real. If the machine wakes the thread
//! late, one answer is late; the law's clock does not lag behind.

use super::loading::GOOD;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::net::{AddressFamily, SocketType};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use volley::clock::now_ns;
use volley::limits;

/// More than are opened at a time.
const BACKLOG: i32 = 4096;

/// The listener's number; connections have others.
const LISTENER: u64 = 0;

/// One request in the log.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "units last")]
pub struct Served {
    /// When it was read.
    pub read_ns: u64,
    /// When its answer was due.
    pub end_ns: u64,
    /// When its answer was sent: not before.
    pub sent_ns: u64,
}

/// A running server. Ends with the test's process.
pub struct Timed {
    pub address: SocketAddr,
    log: Arc<Mutex<Vec<Served>>>,
}

impl Timed {
    /// `law`: from the arrival of a request to the moment of its answer.
    pub fn start(law: impl FnMut(u64) -> u64 + Send + 'static) -> Self {
        let listener = listen();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let server = Server {
            epoll: epoll::create(CreateFlags::CLOEXEC).unwrap(),
            listener,
            connections: HashMap::new(),
            opened: LISTENER,
            law,
            due: BinaryHeap::new(),
            log: log.clone(),
        };
        thread::Builder::new().name("timed".into()).spawn(move || server.run()).unwrap();
        Self { address, log }
    }

    /// What it has answered, in the order in which it read the requests.
    pub fn served(&self) -> Vec<Served> {
        let mut served = self.log.lock().unwrap().clone();
        served.sort_by_key(|served| served.read_ns);
        served
    }
}

fn listen() -> TcpListener {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    rustix::net::listen(&socket, BACKLOG).unwrap();
    let listener = TcpListener::from(socket);
    listener.set_nonblocking(true).unwrap();
    listener
}

struct Server<L> {
    epoll: OwnedFd,
    listener: TcpListener,
    connections: HashMap<u64, TcpStream>,
    opened: u64,
    law: L,
    /// When which request is due, in the order in which they came, on which connection.
    due: BinaryHeap<Reverse<(u64, u64, u64)>>,
    log: Arc<Mutex<Vec<Served>>>,
}

impl<L: FnMut(u64) -> u64> Server<L> {
    fn run(mut self) {
        limits::wake_on_time();
        let readable = EventFlags::IN;
        epoll::add(&self.epoll, &self.listener, EventData::new_u64(LISTENER), readable).unwrap();
        let mut events = Vec::with_capacity(256);
        loop {
            self.wait();
            let spare = rustix::buffer::spare_capacity(&mut events);
            epoll::wait(&self.epoll, spare, Some(&Timespec::default())).unwrap();
            for event in events.drain(..) {
                match event.data.u64() {
                    LISTENER => self.accept(),
                    number => self.read(number),
                }
            }
            self.answer();
        }
    }

    /// Until something can be read or an answer is due. `epoll_wait` would round to milliseconds.
    fn wait(&self) {
        let left = self.due.peek().map(|Reverse((end_ns, ..))| {
            let left_ns = end_ns.saturating_sub(now_ns()).cast_signed();
            Timespec { tv_sec: left_ns / 1_000_000_000, tv_nsec: left_ns % 1_000_000_000 }
        });
        // A signal only ends the wait early.
        let _ = poll(&mut [PollFd::new(&self.epoll, PollFlags::IN)], left.as_ref());
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            stream.set_nonblocking(true).unwrap();
            stream.set_nodelay(true).unwrap();
            self.opened += 1;
            let key = EventData::new_u64(self.opened);
            epoll::add(&self.epoll, &stream, key, EventFlags::IN).unwrap();
            self.connections.insert(self.opened, stream);
        }
    }

    fn read(&mut self, number: u64) {
        let mut buffer = [0; 4096];
        let Some(stream) = self.connections.get_mut(&number) else { return };
        let Ok(length @ 1..) = stream.read(&mut buffer) else {
            self.connections.remove(&number);
            return;
        };
        assert!(buffer[..length].ends_with(b"\r\n\r\n"), "one whole request at a time");
        let read_ns = now_ns();
        self.due.push(Reverse(((self.law)(read_ns), read_ns, number)));
    }

    fn answer(&mut self) {
        while let Some(&Reverse((end_ns, read_ns, number))) = self.due.peek() {
            let sent_ns = now_ns();
            if sent_ns < end_ns {
                return;
            }
            self.due.pop();
            let Some(stream) = self.connections.get_mut(&number) else { continue };
            self.log.lock().unwrap().push(Served { read_ns, end_ns, sent_ns });
            // A client that is gone needs no answer.
            let _ = stream.write_all(GOOD);
        }
    }
}
