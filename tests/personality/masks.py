"""What two runs of one program have in common: their output without its measurements.

A number becomes nines. Where the program prints it in a field of a fixed width, the field keeps it.
"""

import re
from collections.abc import Callable

Mask = Callable[[str, bool], list[str]]

NUMBER = r"\d+(?:\.\d+)?"


def nines(number: str) -> str:
    """One digit before the point, as many as there are after it."""
    _, point, decimals = number.strip().partition(".")
    return "9" + point + "9" * len(decimals)


def _free(found: re.Match[str]) -> str:
    return nines(found[0])


def _field(found: re.Match[str]) -> str:
    return nines(found[0]).rjust(len(found[0]))


def _unless_zero(found: re.Match[str]) -> str:
    return found[0] if float(found[0]) == 0 else nines(found[0])


AB_MEASURED = re.compile(
    r"^(Time taken for tests|Requests per second|Time per request|Transfer rate| {24}\d)"
    r"|<th [^>]*>(Time taken for tests|Requests per second|Transfer rate):|kb/s (sent|total)<"
)
AB_COUNTED = re.compile(
    r"^(<tr.*<th [^>]*>)?(Complete requests|Keep-Alive requests|Total transferred|Total body sent"
    r"|HTML transferred):|^(Completed|Finished) "
)
AB_TIMES = re.compile(
    r"^(Connect|Processing|Waiting|Total): |^ +\d+% |<th [^>]*>(Connect|Processing|Total):"
)
# Whether ab calls its own figures unreliable is a matter of rounding.
AB_RELIABILITY = re.compile(
    r"(WARNING|ERROR): The median and mean for the .*\n +(deviation apart|These results are).*\n"
)
VALUE = re.compile(rf"(?<=[ >]){NUMBER}(?=[ <]|$)")
AB_DATE = re.compile(r"^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}\t\d{10}\t")


def ab(text: str, exact: bool) -> list[str]:
    """ab's lines; `exact` keeps what was counted, else that goes too."""
    return [_ab_line(line, exact) for line in AB_RELIABILITY.sub("", text).split("\n")]


def _ab_line(line: str, exact: bool) -> str:
    if AB_TIMES.search(line):
        label, rest = _after_label(line)
        return label + re.sub(rf" *{NUMBER}", _field, rest)
    if AB_MEASURED.search(line) or (not exact and AB_COUNTED.search(line)):
        return VALUE.sub(_free, line)
    if dated := AB_DATE.match(line):
        return "<date>" + re.sub(r"\d+", "9", line[dated.end() :])
    if re.fullmatch(r"\d+,\d+\.\d{3}", line):
        return line.partition(",")[0] + ",9.999"
    return line


def _after_label(line: str) -> tuple[str, str]:
    """A percentage or a name of a row stays; what comes after it is measured."""
    found = re.match(r"^ +\d+%|^\w+:|^<tr.*?</th>", line)
    return (found[0], line[found.end() :]) if found else ("", line)


UNITS = {"Latency": r"us|ms|s |m |h ", "Req/Sec": r"k |M |G |T |  "}
WRK_TIME = r"\d+\.\d\d(us|ms|s|m|h)"
WRK_SIZE = r"\d+\.\d\d(B|KB|MB|GB|TB)"


def wrk(text: str, exact: bool) -> list[str]:
    """wrk's lines; `exact` keeps what was counted, else that goes too."""
    return [_wrk_line(line, exact) for line in text.split("\n")]


def _wrk_line(line: str, exact: bool) -> str:
    if found := re.match(r"^    (Latency|Req/Sec)   ", line):
        # A run of twenty answers may last for a sample of Req/Sec, or end before it.
        zero = found[1] == "Latency" or not exact
        fields = [
            _units(line[a:b], UNITS[found[1]], zero) for a, b in ((14, 22), (22, 32), (32, 41))
        ]
        share = r"^ *\d+\.\d\d%$" if zero else r"^ *(\d+\.\d\d|-nan)%$"
        return line[:14] + "|".join(fields) + "|" + re.sub(share, "99.99%", line[41:])
    if found := re.match(r"^( +\d+%)(.*)$", line):
        return found[1] + _units(found[2], UNITS["Latency"], zero=True)
    if re.match(r"^  \d+ requests in ", line):
        line = re.sub(f"in {WRK_TIME}", "in <time>", line)
        return line if exact else re.sub(rf"^  \d+ (.*) {WRK_SIZE}", r"  9 \1 <size>", line)
    if re.fullmatch(r"Requests/sec: (?=.{9}$) *\d+\.\d\d", line):
        return "Requests/sec: <rate>"
    if re.fullmatch(rf"Transfer/sec: (?=.{{11}}$) *{WRK_SIZE}", line):
        return "Transfer/sec: <rate>"
    if not exact and re.match(r"^  (Socket errors|Non-2xx or 3xx responses):", line):
        head, _, rest = line.partition(":")
        return head + ":" + re.sub(r"\d+", _unless_zero, rest)
    return line


def _units(field: str, units: str, zero: bool) -> str:
    """A number with its unit, right-aligned so that units stand below each other.

    `zero` is kept: nothing was measured.
    """
    if zero and re.fullmatch(rf" *0\.00({units})", field):
        return field
    return f"<{len(field)}>" if re.fullmatch(rf" *\d+\.\d\d({units})", field) else field
