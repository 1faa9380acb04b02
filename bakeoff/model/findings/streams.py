"""Findings on streams of events: those that are answers, and those that are held beside them."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

NOT_HELD: Mapping[str, Row] = {
    "streams_not_held": Row(
        "it held {opened:,} of {streams:,} streams open beside the requests[; the first that "
        "broke: {detail}]",
        more="Use fewer streams, or raise the server's limits of connections and open files.",
    ),
}

STREAMS: Mapping[str, Row] = {
    "buffered_stream": Row(
        "it holds events back: {together:,} of {gaps:,} came together with the one before, and "
        "their source sends them {gap_ms:g} ms apart",
        several="{names:who} hold events back: many came together with the one before, and their "
        "source sends them {gap_ms:one} ms apart",
        more="A client sees them late and in clumps.",
        advice="turn off its buffering (nginx: `proxy_buffering off`) and compression; where it "
        "makes the events, flush each",
    ),
    "streams_broke": Row(
        "{n:# stream|streams} of the {streams:,} held beside the requests broke, and "
        "{n:was|were} opened anew[; the first: {detail}]",
        several="held streams of {names:who} broke, and were opened anew",
        advice="look at its timeouts for connections and for answers",
    ),
}
