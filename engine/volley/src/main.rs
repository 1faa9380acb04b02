//! The command `volley`.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use volley::cli::{
    Cli, Command, CsvPlace, LoadArgs, NullArgs, PathArgs, nanoseconds, one_line, program,
};
use volley::drive::{DriveError, drive};
use volley::load::{LoadError, load};
use volley::null::{Answers, Null};
use volley::report::Report;
use volley_load::scheme::Scheme;
use volley_net::interrupts::{self, INTERRUPTED};
use volley_net::limits;
use volley_path::device::Device;
use volley_path::forward::forward;
use volley_path::line::Terms;
use volley_personality::Personality;
use volley_tls::Identity;

const NO_RIGHT_ANSWER: u8 = 1;
const WRONG_USAGE: u8 = 2;
const SYSTEM: u8 = 3;

/// The answers of `volley null`.
const NULL_BODY: &str = "Hello, World!";

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some((personality, words)) = Personality::called(&words) {
        limits::raise_open_files();
        return personality.run(words);
    }
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return fail(WRONG_USAGE, &one_line(&error)),
        Err(help) => {
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
    };
    limits::raise_open_files();
    match cli.command {
        Command::Load(args) => run_load(&args),
        Command::Drive => run_drive(),
        Command::Null(args) => run_null(&args),
        Command::Path(args) => run_path(&args),
    }
}

fn run_drive() -> ExitCode {
    limits::die_with_parent();
    match drive(stdin().lock(), &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(DriveError::Command(message)) => fail(WRONG_USAGE, &format!("volley drive: {message}")),
        Err(DriveError::Io(error)) => fail(SYSTEM, &format!("volley drive: {error}")),
    }
}

fn run_load(args: &LoadArgs) -> ExitCode {
    let interrupted = Arc::new(AtomicBool::new(false));
    if let Err(error) = interrupts::listen(&interrupted) {
        return fail(SYSTEM, &format!("{} load: cannot catch Ctrl-C: {error}", program()));
    }
    let report = match load(args, &interrupted) {
        Ok(report) => report,
        Err(error) => {
            let status = match error {
                LoadError::Usage(_) => WRONG_USAGE,
                LoadError::Unreachable(_) | LoadError::System(_) => SYSTEM,
            };
            return fail(status, &format!("{} load: {error}", program()));
        }
    };
    match print(args, &report) {
        // A reader that ends early, such as `head`, is not an error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("{} load: cannot write the result: {error}", program());
            return fail(SYSTEM, &message);
        }
        _ => {}
    }
    match (report.interrupted(), report.right()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, 0) => ExitCode::from(NO_RIGHT_ANSWER),
        (false, _) => ExitCode::SUCCESS,
    }
}

/// Prints on standard output, unless that is in use.
fn print(args: &LoadArgs, report: &Report<'_>) -> io::Result<()> {
    let may_be_bold = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if args.output.json {
        stdout().write_all(report.json().as_bytes())
    } else if args.output.csv == Some(CsvPlace::Stdout) {
        stderr().write_all(report.text(may_be_bold && stderr().is_terminal()).as_bytes())
    } else {
        stdout().write_all(report.text(may_be_bold && stdout().is_terminal()).as_bytes())
    }
}

/// Serves until the process is ended.
fn run_null(args: &NullArgs) -> ExitCode {
    let usage = |message: &str| fail(WRONG_USAGE, &format!("volley null: {message}"));
    if let Some(right) = args.contradiction() {
        return usage(right);
    }
    if let Err(wrong) = limits::pin(&args.cpus) {
        return usage(&limits::as_flag(&wrong));
    }
    let identity = match identity(args) {
        Ok(identity) => identity,
        Err(wrong) => return usage(&wrong),
    };
    let served = Null::bind(args.listen, answers(args), identity, args.io).and_then(|null| {
        writeln!(stdout(), "listening on {}", null.address()?)?;
        null.run(&AtomicBool::new(false))
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(SYSTEM, &format!("volley null: {}: {error}", args.listen)),
    }
}

/// Forwards until standard input ends.
fn run_path(args: &PathArgs) -> ExitCode {
    limits::die_with_parent();
    limits::wake_on_time();
    if let Err(wrong) = limits::pin(&args.cpus) {
        return fail(WRONG_USAGE, &format!("volley path: {}", limits::as_flag(&wrong)));
    }
    let terms = Terms { delay_ns: nanoseconds(args.delay) / 2, loss: args.loss, seed: args.seed };
    let forwarded =
        Device::open().and_then(|device| forward(&device, terms, stdin(), &mut stdout()));
    match forwarded {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(SYSTEM, &format!("volley path: {error}")),
    }
}

fn answers(args: &NullArgs) -> Answers {
    let body =
        args.body_length.map_or_else(|| NULL_BODY.into(), |length| vec![b'x'; length as usize]);
    match args.protocol {
        _ if args.websocket => return Answers::WebSocket,
        Scheme::H1 | Scheme::H1Tls => {}
        Scheme::H2c | Scheme::H2 => return Answers::Http2 { body },
        Scheme::H3 => return Answers::Http3 { body },
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = [head.into_bytes(), body].concat();
    Answers::Http1 { answer, request_length: args.request_length }
}

/// The certificate of the null server, if it uses TLS.
fn identity(args: &NullArgs) -> Result<Option<Identity>, String> {
    match (&args.cert, &args.key) {
        (Some(cert), Some(key)) => Identity::from_files(cert, key).map(Some),
        _ if args.protocol.is_tls() => Identity::of_its_own().map(|(own, _)| Some(own)),
        _ => Ok(None),
    }
}

fn fail(status: u8, message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(status)
}
