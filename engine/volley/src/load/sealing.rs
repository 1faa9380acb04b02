//! The settings of TLS by the options.

use crate::cli::{LoadArgs, TlsVersion};
use std::fs;
use volley_net::errors::io_words;
use volley_tls::{Config, OWN_NAME, Terms};

/// Returns `None` in cleartext. The error names the flag.
pub(super) fn config(args: &LoadArgs) -> Result<Option<Config>, String> {
    let Some(mut terms) = terms(args)? else { return Ok(None) };
    if let Some(file) = &args.speaking.ca {
        let wrong = |why: String| format!("--ca {}: {why}", file.display());
        let pem = fs::read(file)
            .map_err(|error| wrong(format!("cannot be read: {}", io_words(&error))))?;
        terms.believe(&pem).map_err(wrong)?;
    }
    let name = args.speaking.server_name.as_ref().unwrap_or(&args.url.authority.host);
    Ok(Some(Config::new(Some(name), &terms)))
}

/// The same for a server of ours with this certificate, as PEM: it is verified if the target's is.
pub(super) fn own_config(args: &LoadArgs, pem: &str) -> Result<Option<Config>, String> {
    let Some(mut terms) = terms(args)? else { return Ok(None) };
    if args.speaking.ca.is_some() {
        terms.believe(pem.as_bytes())?;
    }
    Ok(Some(Config::new(Some(OWN_NAME), &terms)))
}

fn terms(args: &LoadArgs) -> Result<Option<Terms>, String> {
    let (scheme, speaking) = (args.scheme(), &args.speaking);
    if !scheme.is_tls() {
        return Ok(None);
    }
    let mut terms = scheme.terms(speaking.resume);
    if speaking.early_data {
        terms.send_early();
    }
    if let Some(version) = speaking.tls {
        terms.speak(match version {
            TlsVersion::Tls12 => "TLS1.2",
            TlsVersion::Tls13 => "TLS1.3",
        })?;
    }
    Ok(Some(terms))
}
