"""Whatever a file holds, the answer is a stream or a fault; and how it is packed does not matter."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.traces import LoadOptions, combine, load
from railwise.formats.traces.clusters import flat_cluster
from railwise.model.errors import InputError
from tests.formats.traces import samples

KINDS = sorted(samples.TEXTS)


def files_of(kind: str) -> dict[str, bytes]:
    return {name: text.encode() for name, text in samples.TEXTS[kind].items()}


@pytest.mark.parametrize("kind", KINDS)
def test_packed_marked_and_with_other_line_ends_the_stream_is_the_same(kind: str) -> None:
    plain = load(kind, files_of(kind))
    assert load(kind, {f"{name}.gz": gzip.compress(data) for name, data in files_of(kind).items()}).jobs == plain.jobs
    assert load(kind, {name: b"\xef\xbb\xbf" + data for name, data in files_of(kind).items()}) == plain
    assert load(kind, {name: data.replace(b"\n", b"\r\n") for name, data in files_of(kind).items()}) == plain
    assert load(kind, {name: data.rstrip(b"\n") for name, data in files_of(kind).items()}) == plain


@given(st.data())
def test_a_damaged_file_is_a_stream_or_a_fault_and_nothing_else(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(KINDS))
    files = files_of(kind)
    name = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        taken = data.draw(st.integers(0, 20))
        content[place : place + taken] = data.draw(
            st.one_of(
                st.binary(max_size=8),
                st.sampled_from([b"-1", b"nan", b",", b"|", b"\n", b'"', b"9" * 30, b"1e308", b"\t"]),
            )
        )
    files[name] = bytes(content)
    for skip_bad in (False, True):
        try:
            trace = load(kind, files, LoadOptions(skip_bad=skip_bad, cpu_jobs=True))
        except InputError:
            continue
        assert all(job.submit >= 0 and (job.duration or 0) >= 0 and job.gpus >= 0 for job in trace.jobs)
        assert len({job.name for job in trace.jobs}) == len(trace.jobs)
        assert len(combine(trace, flat_cluster(4, 8)).workloads) == len(trace.jobs)


@given(st.integers(0, 400), st.integers(1, 400), st.integers(0, 5))
def test_a_window_keeps_what_was_submitted_in_it_on_a_clock_of_its_own(start: int, length: int, most: int) -> None:
    second = 1_000_000
    whole = load("helios", files_of("helios"))
    wanted = [job for job in whole.jobs if start * second <= job.submit < (start + length) * second]
    wanted = wanted[:most] if most else wanted
    options = LoadOptions(start=start * second, until=(start + length) * second, jobs=most)
    if not wanted:
        with pytest.raises(InputError, match="no job was submitted in that time"):
            load("helios", files_of("helios"), options)
        return
    part = load("helios", files_of("helios"), options)
    assert [(job.name, job.submit + start * second) for job in part.jobs] == [(job.name, job.submit) for job in wanted]
