"""Histograms of latencies as the engine writes them: read, added up without loss, written.

engine/PROTOCOL.md: HdrHistogram, V2 compressed, base64; unit 1 ns, 1 ns to 24 h, 3 significant
digits. An empty text is a histogram without a value.
"""

import base64
import ctypes
from collections.abc import Sequence

import numpy as np
from hdrh.codec import HdrHistogramEncoder, decode, ext_header_size, payload_header_size
from hdrh.histogram import HdrHistogram
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]
"""The number of values in each bucket, by its index."""

SCALE = HdrHistogram(1, 24 * 3600 * 1_000_000_000, 3)
TOP_US = 60e6
"""The value of a request without an answer, if a number is needed."""


def added(histograms: Sequence[str]) -> tuple[Counts, list[int]]:
    """The counts of all, and the number of values of each.

    hdrh builds a histogram of 216 KiB from each; its decoder into one buffer takes a third of the
    time, which matters with 7,000 slices.
    """
    total = np.zeros(SCALE.counts_len, dtype=np.int64)
    buffer = np.zeros(SCALE.counts_len, dtype=np.int64)
    return total, [
        _decoded_into(buffer, total, encoded) if encoded else 0 for encoded in histograms
    ]


def counted(values_ns: ArrayLike, numbers: ArrayLike = 1) -> Counts:
    """The counts of values of at least 1 ns, each with its number."""
    values = np.asarray(values_ns, dtype=np.int64)
    # A bucket has 1,024 parts, except the first, which has twice as many. The exponent of a whole
    # number below 2^53 is exact in a float.
    half = SCALE.sub_bucket_half_count
    bucket = np.frexp(values | (2 * half - 1))[1] - (2 * half - 1).bit_length()
    counts = np.zeros(SCALE.counts_len, dtype=np.int64)
    np.add.at(counts, bucket * half + (values >> bucket), numbers)
    return counts


def encoded(counts: Counts) -> str:
    """The histogram with these counts."""
    used = nonzero(counts)
    if not len(used):
        return ""
    encoder = HdrHistogramEncoder(SCALE)
    whole = np.ascontiguousarray(counts, dtype=np.int64)
    ctypes.memmove(encoder.get_counts(), whole.ctypes.data, whole.nbytes)
    payload = encoder.payload.compress(int(used[-1]) + 1)
    encoder.header.length = len(payload)
    head = ctypes.string_at(ctypes.addressof(encoder.header), ext_header_size)
    return base64.b64encode(head + payload).decode()


def summed(histograms: Sequence[str]) -> str:
    """One histogram of all their values."""
    some = [each for each in histograms if each]
    return some[0] if len(some) == 1 else encoded(added(some)[0])


def nonzero(counts: Counts) -> Counts:
    """The indexes with values; numpy takes eight times as long unless the array has truth
    values."""
    return np.flatnonzero(counts.astype(bool))


def upper_ns(indexes: Counts) -> Counts:
    """The highest values that are counted at these indexes."""
    half = SCALE.sub_bucket_half_count
    bucket = np.maximum(0, indexes // half - 1)
    highest: Counts = ((indexes - bucket * half + 1) << bucket) - 1
    return highest


def _decoded_into(buffer: Counts, total: Counts, encoded: str) -> int:
    """Add one histogram to `total` by way of `buffer`, which is all zero before and after."""
    payload = HdrHistogramEncoder.decode(encoded)
    address = buffer.ctypes.data_as(ctypes.c_void_p).value
    decoded = decode(payload._data, payload_header_size, address, SCALE.counts_len, SCALE.word_size)
    if not decoded["total"]:
        return 0
    window = slice(decoded["min_nonzero_index"], decoded["max_nonzero_index"] + 1)
    total[window] += buffer[window]
    buffer[window] = 0
    return int(decoded["total"])
