//! The command `volley`.

use clap::Parser;
use signal_hook::consts::SIGINT;
use std::io::{self, IsTerminal, Write, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use volley::cli::{Cli, Command, LoadArgs, one_line};
use volley::drive::{DriveError, drive};
use volley::limits;
use volley::load::{LoadError, load};

const NO_RIGHT_ANSWER: u8 = 1;
const WRONG_USAGE: u8 = 2;
const SYSTEM: u8 = 3;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
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
    if let Err(error) = listen_for_interrupts(&interrupted) {
        return fail(SYSTEM, &format!("volley load: cannot catch Ctrl-C: {error}"));
    }
    let report = match load(args, interrupted) {
        Ok(report) => report,
        Err(error) => {
            let status = match error {
                LoadError::Usage(_) => WRONG_USAGE,
                LoadError::Unreachable(_) | LoadError::System(_) => SYSTEM,
            };
            return fail(status, &format!("volley load: {error}"));
        }
    };
    let bold = stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = if args.json { report.json() } else { report.text(bold) };
    match stdout().write_all(text.as_bytes()) {
        // A reader that has seen enough, such as `head`, is fine.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            return fail(SYSTEM, &format!("volley load: cannot write the result: {error}"));
        }
        _ => {}
    }
    match (report.interrupted, report.right) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, 0) => ExitCode::from(NO_RIGHT_ANSWER),
        (false, _) => ExitCode::SUCCESS,
    }
}

/// The first Ctrl-C ends the measurement, a second one the process.
fn listen_for_interrupts(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    let status = i32::from(INTERRUPTED);
    signal_hook::flag::register_conditional_shutdown(SIGINT, status, interrupted.clone())?;
    signal_hook::flag::register(SIGINT, interrupted.clone())?;
    Ok(())
}

fn fail(status: u8, message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(status)
}
