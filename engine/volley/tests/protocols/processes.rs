//! Servers in separate processes, and certificates for them.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that listens. It ends when this is dropped, or when the test is killed.
pub(crate) struct Server {
    process: Child,
    /// Open for as long as the process may write.
    _stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(program: &str, args: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut process = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", program])
        .args(args)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = BufReader::new(process.stdout.take().unwrap());
    (process, stdout)
}

/// `volley null`.
pub(crate) fn null(args: &[&str]) -> Server {
    let program = env!("CARGO_BIN_EXE_volley");
    let (process, mut stdout) = start(program, &[&["null"], args].concat());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").expect("it says where");
    let address = address.parse().unwrap();
    Server { process, _stdout: stdout, address }
}

/// Debian's server of HTTP/2, whose port comes between two parts of its arguments. It cannot choose
/// a port itself; one that was free a moment ago may be taken, so it has several tries.
pub(crate) fn nghttpd(before: &[&str], behind: &[&str]) -> Server {
    for _ in 0..5 {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let port = address.port().to_string();
        let words = [&["-a", "127.0.0.1"], before, &[port.as_str()], behind].concat();
        let (process, stdout) = start("nghttpd", &words);
        let mut server = Server { process, _stdout: stdout, address };
        let until = Instant::now() + Duration::from_secs(10);
        while server.process.try_wait().unwrap().is_none() {
            if TcpStream::connect(address).is_ok() {
                return server;
            }
            assert!(Instant::now() < until, "nghttpd does not listen on {address}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    panic!("nghttpd does not start: {before:?}");
}

/// Whether a program that a test needs is installed; else prints that the test was not run.
pub(crate) fn has(program: &str, package: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    if !found.status.success() {
        // The harness would hide the output of `eprintln`.
        let words = format!("NOT RUN: {program} is missing; Debian has it in {package}\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
    }
    found.status.success()
}

/// A certificate for `localhost` that is signed by itself, and its key, in files.
pub(crate) fn certificate(name: &str) -> (String, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let [cert, key] = ["pem", "key"].map(|kind| {
        folder.join(format!("{name}.{kind}")).to_str().expect("it is UTF-8").to_owned()
    });
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
        .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        // Else it is that of a CA, which no server may have.
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", &key, "-out", &cert])
        .output()
        .expect("openssl is there");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (cert, key)
}
