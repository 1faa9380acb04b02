//! A server of HTTP/3 on quinn, which treats each connection in its own way.

use crate::world::loading::{BODY, target};
use crate::world::sealed;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{ConnectionError, Endpoint, Incoming, ServerConfig};
use rustls::server::{ServerSessionMemoryCache, StoresServerSessions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use tokio::runtime;
use tokio::sync::Notify;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_protocol::h3::frame::{self, kind};
use volley_protocol::h3::qpack;
use volley_tls::Config;

/// How a server treats a connection, given its number from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treat {
    /// It takes all that QUIC has, requests ahead of the handshake included.
    Well,
    /// It resumes the session, but takes nothing ahead of the handshake.
    Late,
    /// It answers the first datagram with Retry.
    Warily,
    /// It changes its keys before each answer.
    Rekeying,
    /// It sends its settings again before each answer.
    Wrongly,
}

/// A server on its own thread, which ends with the process.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    ca_pem: String,
    /// Requests that were read to their end.
    pub(crate) requests: Arc<AtomicU64>,
    /// The highest error code with which a client has closed a connection.
    pub(crate) closed: Arc<AtomicU64>,
    pub(crate) sessions: Arc<Sessions>,
    stop: Arc<Notify>,
}

/// Forgets some sessions, after which their tickets are of no use.
#[derive(Debug)]
pub(crate) struct Sessions {
    memory: Arc<ServerSessionMemoryCache>,
    /// Every so many are forgotten; 0: none.
    forgets: u64,
    taken: AtomicU64,
    pub(crate) forgotten: AtomicU64,
}

impl StoresServerSessions for Sessions {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        self.memory.put(key, value)
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.memory.get(key)
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        let session = self.memory.take(key)?;
        let nth = self.taken.fetch_add(1, Ordering::SeqCst) + 1;
        if self.forgets > 0 && nth.is_multiple_of(self.forgets) {
            self.forgotten.fetch_add(1, Ordering::SeqCst);
            return None;
        }
        Some(session)
    }

    fn can_cache(&self) -> bool {
        true
    }
}

impl Server {
    /// `forgets`: every so many sessions are forgotten, unless it is 0.
    pub(crate) fn start(forgets: u64, treat: impl Fn(u64) -> Treat + Send + 'static) -> Self {
        let (tls, ca_pem) = sealed::Server { alpn: &["h3"], ..sealed::Server::default() }.config();
        let sessions = Arc::new(Sessions {
            memory: ServerSessionMemoryCache::new(1024),
            forgets,
            taken: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
        });
        let config = |early: u32| {
            let mut tls = rustls::ServerConfig::clone(&tls);
            tls.session_storage = sessions.clone();
            tls.max_early_data_size = early;
            let crypto = QuicServerConfig::try_from(tls).unwrap();
            Arc::new(ServerConfig::with_crypto(Arc::new(crypto)))
        };
        let (well, late) = (config(u32::MAX), config(0));
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let endpoint = {
            let _inside = runtime.enter();
            Endpoint::server((*well).clone(), "127.0.0.1:0".parse().unwrap()).unwrap()
        };
        let address = endpoint.local_addr().unwrap();
        let requests = Arc::new(AtomicU64::new(0));
        let closed = Arc::new(AtomicU64::new(0));
        let (counted, stop) = ((requests.clone(), closed.clone()), Arc::new(Notify::new()));
        let stopped = stop.clone();
        thread::spawn(move || {
            runtime.block_on(async move {
                for nth in 0.. {
                    let incoming = tokio::select! {
                        incoming = endpoint.accept() => incoming.unwrap(),
                        () = stopped.notified() => return,
                    };
                    let treat = treat(nth);
                    if treat == Treat::Warily && !incoming.remote_address_validated() {
                        incoming.retry().unwrap();
                        continue;
                    }
                    let config = if treat == Treat::Late { late.clone() } else { well.clone() };
                    tokio::spawn(serve(incoming, config, treat, counted.clone()));
                }
            });
        });
        Self { address, ca_pem, requests, closed, sessions, stop }
    }

    /// Ends it without a word.
    pub(crate) fn stop(&self) {
        self.stop.notify_one();
    }

    /// Four connections to it by a client that trusts it.
    pub(crate) fn target(&self, resumes: bool, sends_early: bool) -> Target {
        let mut terms = Scheme::H3.terms(resumes);
        terms.believe(self.ca_pem.as_bytes()).unwrap();
        if sends_early {
            terms.send_early();
        }
        let tls = Some(Config::new(Some("localhost"), &terms));
        Target { scheme: Scheme::H3, tls, ..target(self.address) }
    }
}

/// Answers each request of a connection with [`BODY`]; `None` at its end.
async fn serve(
    incoming: Incoming,
    config: Arc<ServerConfig>,
    treat: Treat,
    (requests, closed): (Arc<AtomicU64>, Arc<AtomicU64>),
) -> Option<()> {
    let connecting = incoming.accept_with(config).ok()?;
    let (connection, _) = connecting.into_0rtt().ok()?;
    let mut own = connection.open_uni().await.ok()?;
    let mut settings = Vec::new();
    frame::write_control(&mut settings, 65_536);
    own.write_all(&settings).await.ok()?;
    let answer = answer();
    loop {
        let (mut reply, mut request) = match connection.accept_bi().await {
            Err(ConnectionError::ApplicationClosed(close)) => {
                closed.fetch_max(close.error_code.into_inner(), Ordering::SeqCst);
                return None;
            }
            streams => streams.ok()?,
        };
        request.read_to_end(1 << 20).await.ok()?;
        requests.fetch_add(1, Ordering::SeqCst);
        if treat == Treat::Rekeying {
            connection.force_key_update();
        }
        if treat == Treat::Wrongly {
            own.write_all(&[u8::try_from(kind::SETTINGS).ok()?, 0]).await.ok()?;
        }
        reply.write_all(&answer).await.ok()?;
        reply.finish().ok()?;
    }
}

/// The right answer.
fn answer() -> Vec<u8> {
    let (mut block, mut answer) = (Vec::new(), Vec::new());
    qpack::write_prefix(&mut block);
    qpack::write_field(&mut block, ":status", "200", false);
    frame::write(&mut answer, kind::HEADERS, &block);
    frame::write(&mut answer, kind::DATA, BODY);
    answer
}
