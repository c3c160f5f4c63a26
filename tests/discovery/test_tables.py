"""Tables stand through failures, and only what is new becomes a report."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.discovery.hearing import Changed, Failed, Gone, Hearing, Whole
from railwise.discovery.tables import Tables, observation
from railwise.fabric.observations import SERVER, SWITCH, Speaker
from railwise.formats.lldp.record import LldpRecord

HOST = LldpRecord(
    "Ethernet0", "0a:00:00:00:00:01", "mac", "0a:00:00:00:00:11", "mac", "eth0", "gpu-1", "", (), ("station",)
)
SPINE = LldpRecord(
    "Ethernet4", "0a:00:00:00:00:02", "mac", "swp1", "ifname", "", "spine-1", "", ("10.0.0.9",), ("bridge",)
)
PORTS = st.sampled_from(["a", "b", "c"])
CHANGES = st.dictionaries(PORTS, st.sampled_from([(), (HOST,), (SPINE,)]))


def whole(*records: LldpRecord) -> Whole:
    return Whole("gnmi", "leaf-1", {record.port: (record,) for record in records})


def test_a_first_table_is_a_report_and_the_same_again_is_none() -> None:
    tables = Tables({"leaf-1": Speaker("leaf-1", unit="su-1")})
    report = tables.take(whole(HOST, SPINE), 5)
    assert report is not None
    assert (report.source, report.speaker.unit, report.time) == ("gnmi", "su-1", 5)
    assert [one.name for one in report.observations] == ["gpu-1", "spine-1"]
    assert tables.take(whole(HOST, SPINE), 9) is None
    assert dict(tables.confirmed()) == {("gnmi", "leaf-1"): 9}


def test_an_empty_first_table_is_a_report_too() -> None:
    report = Tables({}).take(whole(), 5)
    assert report is not None
    assert report.observations == ()


def test_a_change_touches_one_port() -> None:
    tables = Tables({})
    tables.take(whole(HOST, SPINE), 1)
    report = tables.take(Changed("gnmi", "leaf-1", {"Ethernet0": ()}), 2)
    assert report is not None
    assert [one.name for one in report.observations] == ["spine-1"]


def test_a_failure_takes_nothing_back() -> None:
    tables = Tables({})
    tables.take(whole(HOST), 1)
    assert tables.take(Failed("gnmi", "leaf-1", "UNAVAILABLE", 1.0), 3) is None
    assert tables.take(Failed("gnmi", "leaf-1", "UNAVAILABLE", 2.0), 7) is None
    standing = tables.standing()["gnmi", "leaf-1"]
    assert (standing.confirmed, standing.silent_since, standing.failures) == (1, 3, 2)
    assert [report.observations[0].name for report in tables.reports()] == ["gpu-1"]
    assert tables.take(whole(HOST), 9) is None
    assert tables.standing()["gnmi", "leaf-1"].silent_since == 0


def test_records_say_who_they_are_in_the_words_of_the_fabric() -> None:
    host, spine = observation(HOST), observation(SPINE)
    assert (host.kind, host.mac, host.description) == (SERVER, "0a:00:00:00:00:11", "eth0")
    assert (spine.kind, spine.mac, spine.remote_port, spine.addresses) == (SWITCH, "", "swp1", ("10.0.0.9",))


@given(st.lists(st.tuples(st.booleans(), CHANGES), max_size=6))
def test_the_table_is_what_the_messages_add_up_to(
    messages: list[tuple[bool, dict[str, tuple[LldpRecord, ...]]]],
) -> None:
    tables = Tables({})
    expected: dict[str, tuple[LldpRecord, ...]] = {}
    for number, (is_whole, ports) in enumerate(messages):
        hearing: Hearing = Whole("s", "d", ports) if is_whole else Changed("s", "d", ports)
        expected = {port: records for port, records in (ports if is_whole else expected | ports).items() if records}
        tables.take(hearing, number)
        (report,) = tables.reports()
        assert report.observations == tuple(observation(one) for port in sorted(expected) for one in expected[port])


def test_a_source_that_tells_again_has_not_failed_any_more() -> None:
    tables = Tables({})
    for whole, told in (("ufm:hall", "ufm:hall"), ("agent", "agent:lldpd")):
        tables.take(Failed(whole, whole, "no answer"), 1)
        assert tables.standing()[whole, whole].silent_since == 1
        tables.take(Whole(told, "n1", {}), 2)
        assert (whole, whole) not in tables.standing()


def test_who_has_gone_is_not_waited_for() -> None:
    tables = Tables({})
    tables.take(Whole("agent:lldpd", "n1", {}), 1)
    assert tables.take(Gone("agent:lldpd", "n1"), 2) is None
    assert (list(tables.standing()), tables.reports()) == ([], [])
    assert tables.take(Gone("agent:lldpd", "n1"), 3) is None
