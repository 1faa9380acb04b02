"""QUIC's datagrams under HTTP/3."""

from collections.abc import Iterable, Sequence
from typing import Self

from pydantic import NonNegativeFloat, NonNegativeInt

from bakeoff.model.base import Contract


class Datagrams(Contract):
    """QUIC's datagrams under HTTP/3, in ramp, window and drain.

    `sent_per_call` is above 1 if one system call sends several datagrams (GSO), and
    `received_per_piece` if the kernel hands over several at once (GRO). `lost` counts our packets
    that were considered lost, and whose content was sent again; `dropped` the datagrams for which
    any socket of this machine had no room, None where the kernel doesn't report them. `retries`
    counts handshakes that the server answered with a Retry, which takes one more round trip.
    """

    quic_version: str
    congestion_control: str
    sent: NonNegativeInt
    received: NonNegativeInt
    received_per_answer: NonNegativeFloat | None
    received_bytes_per_answer: NonNegativeFloat | None
    sent_per_call: NonNegativeFloat | None
    received_per_piece: NonNegativeFloat | None
    lost: NonNegativeInt
    dropped: NonNegativeInt | None
    retries: NonNegativeInt = 0

    @classmethod
    def together(cls, parts: Iterable[tuple[Self, int]]) -> Self | None:
        """Over several slices or engines, each with its answers; None for none."""
        given = list(parts)
        if not given:
            return None
        every, answers = zip(*given, strict=True)
        known = [each.dropped for each in every if each.dropped is not None]
        counts = {key: [getattr(each, key) for each in every] for key in ("sent", "received")}
        weights = {
            "received_per_answer": answers,
            "received_bytes_per_answer": answers,
            "sent_per_call": counts["sent"],
            "received_per_piece": counts["received"],
        }
        return cls(
            quic_version=every[0].quic_version,
            congestion_control=every[0].congestion_control,
            lost=sum(each.lost for each in every),
            retries=sum(each.retries for each in every),
            dropped=sum(known) if len(known) == len(every) else None,
            **{key: sum(numbers) for key, numbers in counts.items()},
            **{
                key: _weighted([getattr(each, key) for each in every], own)
                for key, own in weights.items()
            },
        )


def _weighted(means: Sequence[float | None], weights: Sequence[int]) -> float | None:
    known = [(mean, n) for mean, n in zip(means, weights, strict=True) if mean is not None]
    total = sum(n for _, n in known)
    return sum(mean * n for mean, n in known) / total if total else None
