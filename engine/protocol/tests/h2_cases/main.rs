//! Tables of a server's permitted and forbidden frames in HTTP/2: each case names its rule, by the
//! section of RFC 9113 or of RFC 7541. Three requests are in flight: GETs on streams 1 and 3, and a
//! HEAD on 5. Each conversation is run whole, byte by byte, and cut at each point.

#![expect(unreachable_pub, reason = "a test has no other crates")]
#![expect(clippy::too_many_lines, reason = "tables are as long as there are cases")]

mod answers;
mod endings;
mod flow;
mod frames;
mod heads;
mod refusals;
mod tables;
mod world;
