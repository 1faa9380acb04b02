//! ab's usage and version, in our own words.

use crate::extras;

const VERSION: &str = env!("CARGO_PKG_VERSION");

const OPTIONS: &str = "    -n N         make N requests in all (1)
    -c N         on N connections at a time (1)
    -t SECONDS   for so long at most; sets -n to 50000, which a later -n changes
    -s SECONDS   give up when nothing has come for so long (30)
    -k           keep connections (HTTP keep-alive)
    -l           answers may differ in length: pages that are made anew each time
    -r           go on after an error in receiving
    -i           HEAD instead of GET
    -m METHOD    another method
    -p FILE      POST what the file holds
    -u FILE      PUT what the file holds
    -T TYPE      Content-type of that (text/plain)
    -H LINE      a header line, as in 'Accept-Encoding: gzip'; may come again
    -C PAIR      a cookie, as in 'name=value'
    -A USER:PASSWORD   basic authentication with the server
    -P USER:PASSWORD   basic authentication with the proxy
    -X HOST:PORT       ask this proxy
    -B ADDRESS   connect from this address
    -b BYTES     size of the socket's buffers
    -v LEVEL     2: print heads and warnings; 3: print status codes
    -q           don't tell how far it is, with more than 150 requests
    -d           leave out the table of percentiles
    -S           leave out medians, deviations and warnings of them
    -e FILE      write percentiles as CSV
    -g FILE      write each request's times, tab-separated
    -w           print HTML tables
    -x, -y, -z ATTRIBUTES   the same, with attributes of table, tr, td
    -f PROTOCOL  TLS1.2, TLS1.3 or ALL
    -Z SUITES    cipher suites
    -E FILE      the client's certificate chain and private key
    -I           don't send the server's name in the TLS handshake
    -V           print the version
    -h           print this
";

/// The usage.
pub(super) fn text() -> String {
    format!(
        "Usage: ab [options] [http[s]://]hostname[:port]/path\nOptions:\n{OPTIONS}{}",
        extras::USAGE
    )
}

/// The heading above all output.
pub(super) fn banner(in_html: bool) -> String {
    if in_html {
        return format!(
            "<p>\n This is ApacheBench, Version 2.3 <i>&lt;volley {VERSION}&gt;</i><br>\n \
             Not the Apache Software Foundation's ab: another program with its flags and figures,<br>\n \
             on the load engine of bakeoff<br>\n</p>\n<p>\n"
        );
    }
    format!(
        "This is ApacheBench, Version 2.3 <volley {VERSION}>\n\
         Not the Apache Software Foundation's ab: another program with its flags and figures,\n\
         on the load engine of bakeoff\n\n"
    )
}
