//! The loop between a device and a line. Another program may ask for its counts.

use crate::device::{Device, MTU};
use crate::line::{Figures, Line, Terms};
use crate::packet::exchange;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::io::{Errno, read};
use serde::Serialize;
use std::io::{ErrorKind, Result, Write};
use std::net::Ipv4Addr;
use volley_net::clock::{S, now_ns, process_cpu_ns};

/// The number of packets that are read before the due ones are written.
const BATCH: usize = 64;

/// The first line of output: the address that servers listen on, and the one that leads to it.
#[derive(Debug, Serialize)]
pub struct Ready<'a> {
    /// The device's name.
    pub device: &'a str,
    /// The address that servers listen on.
    pub near: Ipv4Addr,
    /// The address that leads to it over the path.
    pub far: Ipv4Addr,
}

/// What happened since the previous report.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The time since then.
    pub lasted_ns: u64,
    /// CPU time of this process, including the kernel's for the packets that it writes.
    pub cpu_ns: u64,
    /// The counts of the line. `overrun` includes packets that found no place in the device's
    /// queue.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Forwards until `commands` end. Each line of `commands` is answered by a [`Report`].
pub fn forward(
    device: &Device,
    terms: Terms,
    commands: impl AsFd,
    answers: &mut impl Write,
) -> Result<()> {
    let mut line = Line::new(terms);
    let mut packet = [0; MTU as usize];
    let mut since = Moment::now(device)?;
    say(answers, &Ready { device: &device.name, near: device.near, far: device.far })?;
    loop {
        let moved = give_due(device, &mut line)? + take(device, &mut line, &mut packet)?;
        let wait_ns = match line.due_ns() {
            _ if moved > 0 => Some(0),
            due_ns => due_ns.map(|due_ns| due_ns.saturating_sub(now_ns())),
        };
        let mut files =
            [PollFd::new(&device.file, PollFlags::IN), PollFd::new(&commands, PollFlags::IN)];
        match poll(&mut files, wait_ns.map(timespec).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if files[1].revents().is_empty() {
            continue;
        }
        let mut text = [0; 64];
        let length = read(&commands, &mut text)?;
        if length == 0 {
            return Ok(());
        }
        for _ in text[..length].iter().filter(|&&byte| byte == b'\n') {
            let now = Moment::now(device)?;
            say(answers, &now.since(&since, line.figures()))?;
            since = now;
        }
    }
}

/// The counters that grow for as long as the path exists.
struct Moment {
    now_ns: u64,
    cpu_ns: u64,
    dropped: u64,
}

impl Moment {
    fn now(device: &Device) -> Result<Self> {
        Ok(Self { now_ns: now_ns(), cpu_ns: process_cpu_ns(), dropped: device.dropped()? })
    }

    fn since(&self, before: &Self, mut figures: Figures) -> Report {
        figures.overrun += self.dropped - before.dropped;
        Report {
            lasted_ns: self.now_ns - before.now_ns,
            cpu_ns: self.cpu_ns - before.cpu_ns,
            figures,
        }
    }
}

/// Writes the due packets; returns how many there were.
fn give_due(device: &Device, line: &mut Line) -> Result<usize> {
    let mut given = 0;
    while let Some(sent) = line.give(now_ns(), |packet| device.file.send(packet)) {
        sent?;
        given += 1;
    }
    Ok(given)
}

/// Reads waiting packets, `BATCH` at most; returns how many.
fn take(device: &Device, line: &mut Line, packet: &mut [u8]) -> Result<usize> {
    for taken in 0..BATCH {
        match device.file.recv(packet) {
            Ok(length) => {
                let packet = &mut packet[..length];
                if exchange(packet, device.near, device.far) {
                    line.take(now_ns(), packet);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(taken),
            Err(error) => return Err(error),
        }
    }
    Ok(BATCH)
}

fn say(answers: &mut impl Write, line: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *answers, line)?;
    answers.write_all(b"\n")?;
    answers.flush()
}

fn timespec(ns: u64) -> Timespec {
    Timespec { tv_sec: (ns / S).cast_signed(), tv_nsec: (ns % S).cast_signed() }
}
