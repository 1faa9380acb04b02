"""The records of a run, by kind and by entry."""

from bakeoff.model.readings import Memory
from bakeoff.model.samples import BootStart
from tests.judge.races import Race, judged, row


def test_what_a_connection_takes_is_the_mean_over_boots_of_what_is_open() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    records = race.records()
    held_mib = iter((11.0, 12.0))
    for place, record in enumerate(records):
        if isinstance(record, BootStart):
            holding = Memory(pss_mib=next(held_mib), processes=1)
            entries = [
                each.model_copy(update={"idle": Memory(pss_mib=10.0, processes=1)} | extra)
                for each in record.started
                for extra in [{"holding": holding} if each.name == "b" else {}]
            ]
            opened = {**record.connections_open, "b": 512}
            update = {"started": tuple(entries), "connections_open": opened}
            records[place] = record.model_copy(update=update)
    verdict = judged(race, records)
    assert row(verdict, "b").memory_kib_per_connection == 3.0
    assert row(verdict, "a").memory_kib_per_connection is None
