//! The flags, explained.

use super::super::extras;

/// For standard error.
pub(super) fn usage() -> String {
    format!(
        "usage: webbench [OPTION]... URL
Asks for one URL as often as it can, with a connection for each request.
  -c, --clients N      so many clients ask at a time; 1 if not said
  -t, --time SECONDS   for so long; 30 if not said
  -f, --force          close each connection without waiting for the answer
  -p, --proxy HOST:PORT  ask a proxy
  -r, --reload         tell the proxy not to answer from its cache
  -9, --http09         ask in HTTP/0.9,
  -1, --http10         in HTTP/1.0 (as without a flag),
  -2, --http11         or in HTTP/1.1
      --get            ask with GET (as without a flag),
      --head           HEAD,
      --options        OPTIONS,
      --trace          or TRACE
  -V, --version        tell the version
  -?, -h, --help       tell this
Only in this webbench, which is bakeoff's:
{}",
        extras::USAGE
    )
}
