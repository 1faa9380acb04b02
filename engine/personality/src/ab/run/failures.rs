//! ab's treatment of failures.

use super::super::exit::Exit;
use super::super::printer::print_error;
use super::{MOST_FAILURES, Run};
use rustix::io::Errno;
use volley_net::{Failure, Kernel};

impl<B: Kernel> Run<'_, B> {
    /// A connection failed before it was begun.
    pub(super) fn cannot_connect(&mut self, errno: Errno) -> Result<(), Exit> {
        match errno {
            Errno::MFILE | Errno::NFILE => return Err(Exit::system("socket", errno)),
            Errno::ADDRNOTAVAIL if self.options.source.is_some() => {
                return Err(Exit::system("bind", errno));
            }
            _ => {}
        }
        if self.try_next_address()? {
            self.outcome.connect_errors = 0;
        } else if self.outcome.bad > MOST_FAILURES {
            let exit = Exit::system("apr_socket_connect()", errno);
            let message = format!("\nTest aborted after 10 failures\n\n{}", exit.message);
            return Err(Exit { message, ..exit });
        } else {
            self.outcome.bad += 1;
            self.outcome.connect_errors += 1;
        }
        Ok(())
    }

    /// A head that is too long: the request is not completed.
    pub(super) fn give_up_answer(&mut self) -> Result<(), Exit> {
        self.outcome.non_2xx += 1;
        if self.outcome.bad > MOST_FAILURES {
            return Err(Exit::error("\nTest aborted after 10 failures\n\n"));
        }
        self.outcome.bad += 1;
        Ok(())
    }

    /// A connection could not be made. ab learns of it by reading, and sees the same failure as an
    /// exception. It reads from the replacement at once: of two successive refusals only the first
    /// is an exception.
    pub(super) fn unconnected(&mut self, slot: usize, failure: Failure) -> Result<(), Exit> {
        if matches!(failure, Failure::Tls(_)) {
            print_error("SSL handshake failed (1).\n");
            self.outcome.tls_failure = Some(failure);
            return self.finish(slot);
        }
        if self.try_next_address()? {
            return self.open(slot);
        }
        let connection = &mut self.connections[slot];
        connection.was_refused = !connection.was_refused;
        let is_exception = connection.was_refused;
        self.looks_again = is_exception && self.started < self.options.requests;
        self.fail(slot, failure, is_exception)
    }

    /// Receiving failed.
    pub(super) fn fail(
        &mut self,
        slot: usize,
        failure: Failure,
        is_exception: bool,
    ) -> Result<(), Exit> {
        match failure {
            Failure::System(errno) if self.destination.tls.is_none() => {
                self.fail_plain(slot, errno)?;
            }
            Failure::System(_) => self.fail_sealed(slot, 5)?,
            Failure::Tls(_) | Failure::Quic(_) => {
                self.outcome.tls_failure = Some(failure);
                return self.fail_sealed(slot, 1);
            }
        }
        if is_exception {
            self.except();
        }
        Ok(())
    }

    fn fail_plain(&mut self, slot: usize, errno: Errno) -> Result<(), Exit> {
        self.outcome.receive_errors += 1;
        let exit = Exit::system("apr_socket_recv", errno);
        if !self.options.receive_errors_are_fine {
            return Err(exit);
        }
        self.outcome.bad += 1;
        self.finish(slot)?;
        if self.options.verbosity >= 1 {
            print_error(&exit.message);
        }
        Ok(())
    }

    /// With TLS no error of receiving ends the run. `number`: OpenSSL's for this kind of error.
    fn fail_sealed(&mut self, slot: usize, number: i32) -> Result<(), Exit> {
        print_error(&format!("SSL read failed ({number}) - closing connection\n"));
        if !self.connections[slot].answer.is_kept {
            return self.finish(slot);
        }
        // Within an answer of a connection that was to be kept: ab assumes that there was no
        // answer.
        self.outcome.good = self.outcome.good.saturating_sub(1);
        self.wire.close(slot);
        self.open(slot)
    }

    pub(super) fn except(&mut self) {
        self.outcome.bad += 1;
        self.outcome.exceptions += 1;
    }
}
