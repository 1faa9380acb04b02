//! The names of a file's requests.

use crate::file::{FileError, Request};
use crate::source::Source;
use std::collections::{HashMap, HashSet};
use toml::Spanned;

/// Their own names, or method and path as they are written, with a number after it if others are
/// written alike. Two requests with the same own name are refused.
pub(crate) fn of(
    source: &Source<'_>,
    requests: &[Spanned<Request>],
) -> Result<Vec<String>, FileError> {
    let mut taken = own(source, requests)?;
    let mut alike = HashMap::new();
    let name = |request: &Spanned<Request>| {
        let request = request.get_ref();
        if let Some(name) = &request.name {
            return name.get_ref().clone();
        }
        let plain = format!("{} {}", request.method(), request.path.get_ref());
        let number = alike.entry(plain.clone()).or_insert(0_usize);
        loop {
            *number += 1;
            let name = if *number == 1 { plain.clone() } else { format!("{plain} ({number})") };
            if taken.insert(name.clone()) {
                return name;
            }
        }
    };
    Ok(requests.iter().map(name).collect())
}

/// The names that the file gives.
fn own(source: &Source<'_>, requests: &[Spanned<Request>]) -> Result<HashSet<String>, FileError> {
    let mut lines = HashMap::new();
    for name in requests.iter().filter_map(|request| request.get_ref().name.as_ref()) {
        let wrong = |what: &str| Err(source.wrong(name.span(), &format!("request.name: {what}")));
        if name.get_ref().trim().is_empty() {
            return wrong("a name is not empty; without the key it is method and path");
        }
        if let Some(line) = lines.insert(name.get_ref().clone(), source.line(name.span())) {
            return wrong(&format!("{:?} is the request of line {line}", name.get_ref()));
        }
    }
    Ok(lines.into_keys().collect())
}
