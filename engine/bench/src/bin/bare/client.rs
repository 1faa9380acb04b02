//! Sending and receiving on `io_uring`, with everything in the kernel that makes it cheap.
//!
//! It uses one thread's ring without an array of indices, registered with its thread; sockets that
//! have no number in the process; one system call a turn, which submits, finishes due work, and
//! waits only if there is nothing to do; multishot receives into a few buffers that stay hot. If
//! each request has a connection, it is made, connected, sent on, received on and closed by
//! requests of the ring alone. The bytes of a large answer are counted by the kernel, and not
//! copied. Bundles of buffers and sends without a report gained nothing here, and busy polling
//! needs a device: loopback has none.

#![expect(unsafe_code, reason = "requests of the ring point to memory")]

use crate::buffers::{Buffers, GROUP};
use io_uring::types::{DestinationSlot, Fixed, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, cqueue, opcode, squeue};
use rustix::io::Errno;
use rustix::net::SocketAddrAny;
use std::error::Error;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long to poll before sleeping. The server would pay for waking the client.
const POLL: Duration = Duration::from_micros(50);

/// The longest sleep, in ns: a run ends this much late at worst.
const PATIENCE_NS: u32 = 10_000_000;

const MSG_NOSIGNAL: i32 = 0x4000;
const MSG_WAITALL: i32 = 0x100;
const AF_INET: i32 = 2;
const AF_INET6: i32 = 10;
const SOCK_STREAM: i32 = 1;
const IPPROTO_TCP: u32 = 6;
const TCP_NODELAY: u32 = 1;
const TCP_QUICKACK: u32 = 12;
const MSG_TRUNC: i32 = 0x20;
const GETEVENTS: u32 = 1;

/// The values of an option.
static ON: i32 = 1;
static OFF: i32 = 0;

/// Longer answers are counted by the kernel, and not copied.
const LARGE: usize = 32 * 1024;

/// The requests, and the server.
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    pub(crate) connections: u32,
    /// A connection for each request.
    pub(crate) close: bool,
    /// Requests that are sent at once.
    pub(crate) at_once: usize,
    /// Their bytes.
    pub(crate) request: Vec<u8>,
    /// Bytes of one answer.
    pub(crate) answer_length: usize,
}

/// The counts so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) answers: u64,
    /// System calls.
    pub(crate) calls: u64,
    pub(crate) completions: u64,
    /// The time without anything to do.
    pub(crate) waited: Duration,
}

pub(crate) struct Client<'a> {
    submitter: Submitter<'a>,
    queue: SubmissionQueue<'a>,
    completed: CompletionQueue<'a>,
    buffers: Buffers,
    load: &'static Load,
    address: &'static SocketAddrAny,
    /// Bytes of the answers that are still to come, by connection.
    received: Vec<usize>,
    pub(crate) counts: Counts,
}

/// The kind of completion; the connection is in the bits above.
#[repr(u64)]
enum Kind {
    Receive,
    Send,
    Prepare,
}

fn named(kind: Kind, connection: u32) -> u64 {
    u64::from(connection) << 8 | kind as u64
}

/// A ring for this one thread. Its queues are small: they are used in a circle, so all of them
/// would lie in the caches.
pub(crate) fn ring(connections: u32) -> std::io::Result<IoUring> {
    IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .setup_no_sqarray()
        .setup_submit_all()
        .setup_clamp()
        .setup_cqsize(connections.saturating_mul(2).max(1024))
        .build(256)
}

impl<'a> Client<'a> {
    /// Begins to connect, and to send the first requests.
    pub(crate) fn start(ring: &'a mut IoUring, load: Load) -> Result<Self, Box<dyn Error>> {
        let (mut submitter, queue, completed) = ring.split();
        submitter.register_ring_fd()?;
        submitter.register_files_sparse(load.connections)?;
        let buffers = Buffers::register(&submitter)?;
        let address = Box::leak(Box::new(load.address.into()));
        let received = vec![0; load.connections as usize];
        // The kernel may read requests and address for as long as the process lives.
        let load: &'static Load = Box::leak(Box::new(load));
        let counts = Counts::default();
        let mut client =
            Self { submitter, queue, completed, buffers, load, address, received, counts };
        for connection in 0..load.connections {
            client.open(connection)?;
            client.turn()?;
        }
        Ok(client)
    }

    /// Loads the server for a while. Returns the time that it took.
    pub(crate) fn load(&mut self, time: Duration) -> Result<Duration, Box<dyn Error>> {
        let from = Instant::now();
        while from.elapsed() < time {
            self.turn()?;
            if self.completed.is_empty() {
                self.wait()?;
            }
        }
        Ok(from.elapsed())
    }

    /// Hands over the queued requests, and handles completions.
    fn turn(&mut self) -> Result<(), Box<dyn Error>> {
        self.queue.sync();
        if !self.queue.is_empty() || self.queue.taskrun() || self.queue.cq_overflow() {
            self.enter()?;
        }
        self.completed.sync();
        while let Some(entry) = self.completed.next() {
            self.counts.completions += 1;
            self.handle(&entry)?;
        }
        Ok(())
    }

    fn enter(&mut self) -> std::io::Result<()> {
        self.counts.calls += 1;
        let queued = u32::try_from(self.queue.len()).expect("it holds 256");
        // SAFETY: no argument is passed, and the flag says that none is.
        let entered = unsafe { self.submitter.enter::<()>(queued, 0, GETEVENTS, None) };
        self.queue.sync();
        passing(entered)
    }

    fn wait(&mut self) -> std::io::Result<()> {
        let from = Instant::now();
        while self.completed.is_empty() && !self.queue.taskrun() {
            if from.elapsed() > POLL {
                let most = Timespec::new().nsec(PATIENCE_NS);
                self.counts.calls += 1;
                let arguments = SubmitArgs::new().timespec(&most);
                passing(self.submitter.submit_with_args(1, &arguments))?;
                break;
            }
            std::hint::spin_loop();
            self.queue.sync();
            self.completed.sync();
        }
        self.counts.waited += from.elapsed();
        Ok(())
    }

    fn handle(&mut self, entry: &cqueue::Entry) -> Result<(), Box<dyn Error>> {
        let connection = u32::try_from(entry.user_data() >> 8).expect("so it was named");
        let result = entry.result();
        if let Some(buffer) = cqueue::buffer_select(entry.flags()) {
            self.buffers.release(buffer);
        }
        let is_receive = entry.user_data() & 0xff == Kind::Receive as u64;
        match usize::try_from(result) {
            Ok(0) if is_receive && self.load.close => self.reopen(connection),
            Ok(0) if is_receive => Err("the server closed a connection".into()),
            Ok(length) if is_receive => self.on_bytes(connection, length, entry.flags()),
            Ok(_) => Ok(()),
            Err(_) if is_receive && Errno::from_raw_os_error(-result) == Errno::NOBUFS => {
                self.receive(connection)
            }
            Err(_) => Err(Errno::from_raw_os_error(-result).into()),
        }
    }

    fn on_bytes(
        &mut self,
        connection: u32,
        length: usize,
        flags: u32,
    ) -> Result<(), Box<dyn Error>> {
        let received = &mut self.received[connection as usize];
        *received = (*received + length) % (self.load.answer_length * self.load.at_once);
        let goes_on = *received > 0;
        if !cqueue::more(flags) {
            self.receive(connection)?;
        }
        if goes_on {
            return Ok(());
        }
        self.counts.answers += self.load.at_once as u64;
        // If the server closes, its end comes next.
        if self.load.close { Ok(()) } else { self.send(connection) }
    }

    /// Makes a socket, and queues all later steps at once: none of them waits on loopback, and the
    /// kernel keeps to the order.
    fn open(&mut self, connection: u32) -> Result<(), Box<dyn Error>> {
        let socket = Fixed(connection);
        let place = DestinationSlot::try_from_slot_target(connection)
            .map_err(|place| format!("{place} connections are too many"))?;
        let domain = if self.load.address.is_ipv4() { AF_INET } else { AF_INET6 };
        let made = opcode::Socket::new(domain, SOCK_STREAM, 0).file_index(Some(place)).build();
        self.push_silent(made, connection)?;
        // The ACK of the server's SYN leaves with the only request. That SYN undoes the option, so
        // the ACK of the answer, which is to leave with our FIN, takes another.
        let (option, to) = if self.load.close { (TCP_QUICKACK, &OFF) } else { (TCP_NODELAY, &ON) };
        let to = (&raw const *to).cast();
        let set = opcode::SetSockOpt::new(socket, IPPROTO_TCP, option, to, 4).build();
        self.push_silent(set.clone(), connection)?;
        let (address, length) = (self.address.as_ptr().cast(), self.address.addr_len());
        self.push_silent(opcode::Connect::new(socket, address, length).build(), connection)?;
        if self.load.close {
            self.push_silent(set, connection)?;
        }
        self.send(connection)?;
        self.receive(connection)
    }

    fn reopen(&mut self, connection: u32) -> Result<(), Box<dyn Error>> {
        self.push_silent(opcode::Close::new(Fixed(connection)).build(), connection)?;
        self.open(connection)
    }

    fn send(&mut self, connection: u32) -> Result<(), Box<dyn Error>> {
        let bytes = &self.load.request;
        let length = u32::try_from(bytes.len())?;
        let entry = opcode::Send::new(Fixed(connection), bytes.as_ptr(), length)
            .flags(MSG_NOSIGNAL | MSG_WAITALL)
            .build();
        self.push(&entry.user_data(named(Kind::Send, connection)))
    }

    fn receive(&mut self, connection: u32) -> Result<(), Box<dyn Error>> {
        let whole = self.load.answer_length * self.load.at_once;
        let left = whole - self.received[connection as usize];
        let entry = if left > LARGE {
            opcode::Recv::new(Fixed(connection), std::ptr::null_mut(), u32::try_from(left)?)
                .flags(MSG_TRUNC)
                .build()
        } else {
            opcode::RecvMulti::new(Fixed(connection), GROUP).build()
        };
        self.push(&entry.user_data(named(Kind::Receive, connection)))
    }

    /// Queues a request that is reported only if it fails.
    fn push_silent(&mut self, entry: squeue::Entry, of: u32) -> Result<(), Box<dyn Error>> {
        let entry = entry.flags(squeue::Flags::SKIP_SUCCESS);
        self.push(&entry.user_data(named(Kind::Prepare, of)))
    }

    fn push(&mut self, entry: &squeue::Entry) -> Result<(), Box<dyn Error>> {
        // SAFETY: requests and address live as long as the process, as do the buffers.
        while unsafe { self.queue.push(entry) }.is_err() {
            self.queue.sync();
            self.enter()?;
        }
        Ok(())
    }
}

/// Errors that only mean: try again.
fn passing(entered: std::io::Result<usize>) -> std::io::Result<()> {
    match entered {
        Ok(_) => Ok(()),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::INTR | Errno::AGAIN | Errno::BUSY | Errno::TIME) => Ok(()),
            _ => Err(error),
        },
    }
}
