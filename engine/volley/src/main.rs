//! The command `volley`.

use std::io::{stdin, stdout};
use std::process::ExitCode;
use volley::drive::{DriveError, drive};
use volley::limits;

fn main() -> ExitCode {
    limits::raise_open_files();
    limits::die_with_parent();
    match drive(stdin().lock(), &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(DriveError::Command(_)) => ExitCode::from(2),
        Err(DriveError::Io(error)) => {
            eprintln!("volley drive: {error}");
            ExitCode::from(3)
        }
    }
}
