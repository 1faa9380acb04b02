//! How long a server's answers are, learnt from one.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The bytes of one answer, head and body.
pub(crate) fn answer_length(address: SocketAddr, request: &[u8]) -> Result<usize, Box<dyn Error>> {
    let mut stream = TcpStream::connect(address)
        .map_err(|error| format!("cannot connect to {address}: {error}"))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.write_all(request)?;
    let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut piece)?;
        if length == 0 {
            return Err("the server closed the connection before it named a length".into());
        }
        answer.extend_from_slice(&piece[..length]);
        if let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = std::str::from_utf8(&answer[..end])?;
            return Ok(end + 4 + body_length(head).ok_or("the answer has no Content-Length")?);
        }
    }
}

fn body_length(head: &str) -> Option<usize> {
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = fields.filter(|(name, _)| name.eq_ignore_ascii_case("Content-Length"));
    lengths.next()?.1.trim().parse().ok()
}
