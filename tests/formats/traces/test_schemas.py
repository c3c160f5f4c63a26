"""Every schema becomes jobs: times in µs, cards in thousandths, queues, roles, and what is said about the rest."""

from __future__ import annotations

import pytest

from railwise.formats.traces import JobTrace, LoadOptions, load
from railwise.formats.traces.streams import LOADERS
from railwise.model.errors import InputError
from tests.formats.traces import samples

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
GIB = 1024


def read(kind: str, **options: object) -> JobTrace:
    files = {name: text.encode() for name, text in samples.TEXTS[kind].items()}
    return load(kind, files, LoadOptions(**options))  # type: ignore[arg-type]


def table(trace: JobTrace) -> list[tuple[str, int, int | None, float, str]]:
    """Return name, submission and duration in s, cards and queue of every job."""
    return [
        (
            job.name,
            job.submit // SECOND,
            None if job.duration is None else job.duration // SECOND,
            job.gpus / 1000,
            job.queue,
        )
        for job in trace.jobs
    ]


EXPECTED: dict[str, list[tuple[str, int, int | None, float, str]]] = {
    "helios": [("helios-1425511", 0, 36848, 1, "vcJkd"), ("helios-1425512", 26, 249, 16, "vchbv")],
    "acme": [
        ("seren-5778432", 0, 117, 8, "user-u5907"),
        ("dlctk696s0jbvitv", 120, 18, 64, "user-uf794"),
        ("seren-5778469", 336, 2693, 16, "user-u5907"),
    ],
    "pai": [
        ("4b3f04b66a525d2df903eb16", 0, 516, 1, "user-58540f191766"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", 21, 70, 8, "user-58540f191766"),
    ],
    "gpu-v2025": [
        ("instance-0", 0, None, 1, "app_0"),
        ("instance-1", 100, None, 1, "app_0"),
        ("instance-2", 100, 60, 1, "app_1"),
    ],
    "spot": [
        ("spot-239255", 0, 2764799, 1, "org-13"),
        ("spot-437260", 9589663, 41060, 16, "spot"),
        ("spot-437261", 9589663, 71718, 752, "org-57"),
    ],
    "lingjun": [("dlc1abc", 0, 1800, 24, "ns-a"), ("dlc2abc", 60, 3600, 2, "ns-b")],
    "mooncake": [
        ("conversation-trace-1", 0, 300, 16, "conversation_trace"),
        ("conversation-trace-2", 600, 300, 32, "conversation_trace"),
    ],
    "azure": [
        ("azurellminferencetrace-code-1", 0, 300, 16, "AzureLLMInferenceTrace_code"),
        ("azurellminferencetrace-code-2", 600, 300, 16, "AzureLLMInferenceTrace_code"),
    ],
    "gavel": [("0e4a51-1", 0, 200, 1, "0e4a51"), ("0e4a51-2", 6, 100, 4, "0e4a51"), ("0e4a51-3", 7, 100, 8, "0e4a51")],
    "shockwave": [("shockwave-1", 0, 1418, 1, ""), ("shockwave-2", 55, 3338, 2, "")],
    "tiresias": [("tiresias-0", 0, 164, 1, ""), ("tiresias-1", 30, 147, 8, "")],
    "muri": [("muri-0", 0, 5095, 8, ""), ("muri-1", 1534, 281, 16, "")],
    "chronus": [("chronus-0", 0, 12660, 4, "vc_103959"), ("chronus-1", 454440, 1860, 1, "vc_7f04ca")],
    "pollux": [("imagenet-0", 0, 540_000, 2, ""), ("gpt-1", 1, 3600, 2, "")],
    "sia": [("cifar10-0", 0, 180, 6, ""), ("bert-1", 3, 1800, 6, "")],
    "swf": [("swf-1", 0, 100, 8, "queue-4"), ("swf-3", 60, 50, 4, "group-2")],
    "sacct": [
        ("job-100", 0, 93784, 16, "nlp"),
        ("101-3-9", 60, 3600, 2, "vision"),
        ("job-102", 120, 7200, 1, "vision"),
    ],
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_table_becomes_these_jobs(kind: str) -> None:
    assert table(read(kind)) == EXPECTED[kind]


def test_every_text_schema_has_a_sample_and_says_what_it_does_not_tell() -> None:
    by_kind = {loader.kind: loader for loader in LOADERS}
    assert set(EXPECTED) == set(samples.TEXTS)
    assert set(samples.TEXTS) | {"philly", "itp", "asi"} == set(by_kind) - {"openb"}
    for kind in samples.TEXTS:
        notes = read(kind).notes
        for silent in by_kind[kind].silent:
            assert f"{kind}: {silent}" in notes


def test_folders_and_kinds_are_both_names_of_a_loader() -> None:
    files = {"trace1.csv": samples.MURI.encode()}
    assert load("muri", files) == load("muri", files)
    spot = {"job_info_df.csv": samples.SPOT.encode()}
    assert load("alibaba-spot-gpu-v2026", spot) == load("spot", spot)


def test_what_is_left_out_is_counted() -> None:
    assert "helios: jobs that never started, left out: 1" in read("helios").notes
    assert "helios: jobs without a GPU, left out unless --assume cpu-jobs=yes: 1" in read("helios").notes
    assert "pai: jobs without a task, left out: 1" in read("pai").notes
    assert "pai: jobs that did not start or end within the trace, left out: 1" in read("pai").notes
    assert "lingjun: jobs without a worker, left out: 1" in read("lingjun").notes
    assert "lingjun: jobs that did not start or end within the trace, left out: 1" in read("lingjun").notes
    assert "swf: jobs that never ran, left out: 1" in read("swf").notes
    assert "sacct: jobs that never ran, left out: 1" in read("sacct").notes
    assert "sacct: jobs that had not ended, which take their time limit or --assume duration: 2" in read("sacct").notes


def test_requests_of_cpu_and_memory_are_those_of_all_pods() -> None:
    assert [(job.cpu, job.memory) for job in read("helios").jobs] == [(1000, 0), (64_000, 0)]
    assert [job.memory for job in read("acme").jobs] == [0, 8 * 1000 * GIB, 0]
    assert [(job.cpu, job.memory) for job in read("gpu-v2025").jobs][-1] == (12_000, 120 * GIB + 512)
    assert [job.cpu for job in read("spot").jobs] == [20_000, 240_000, 94 * 184_000]
    assert [(job.pods, job.cpu, job.memory) for job in read("sacct").jobs] == [
        (2, 64_000, 512 * GIB),
        (1, 8_000, 100 * GIB),
        (1, 8_000, 16_000),
    ]
    assert read("swf").jobs[1].memory == 4


def test_roles_become_parts() -> None:
    first, second = read("pai").jobs
    assert [(part.name, part.pods, part.gpus, part.cpu) for part in first.parts] == [
        ("ps", 1, 0, 6_000),
        ("worker", 2, 1_000, 8_000),
    ]
    assert first.parts[0].memory == 30_000
    assert [(part.name, part.pods, part.gpus) for part in second.parts] == [("tensorflow", 1, 8_000)]
    training = read("lingjun").jobs[0]
    assert [(part.name, part.pods, part.gpus, part.cpu) for part in training.parts] == [
        ("master", 1, 8_000, 90_000),
        ("worker", 2, 16_000, 180_000),
    ]


def test_spot_jobs_have_a_queue_of_their_own_and_may_be_evicted() -> None:
    assert [(job.evictable, job.priority, job.pods, job.models) for job in read("spot").jobs] == [
        (False, 100, 1, ("A10",)),
        (True, 0, 16, ("A100-SXM4-80GB",)),
        (False, 100, 94, ("A100-SXM4-80GB",)),
    ]


def test_clusters_share_one_clock() -> None:
    assert read("acme").began == "2023-02-28 16:18:22"
    assert read("sacct").began == "2026-03-01 08:00:00"
    assert read("swf").began == "2001-09-09 01:46:40"
    assert read("tiresias").began == ""


def test_requests_become_inference_of_as_many_pods_as_their_tokens_need() -> None:
    first, second = read("mooncake").jobs
    assert (first.kind, first.traffic) == ("inference", "pd")
    assert [(part.name, part.pods, part.gpus, part.least) for part in first.parts] == [
        ("prefill", 1, 8_000, 1),
        ("decode", 1, 8_000, 1),
    ]
    assert [part.pods for part in second.parts] == [2, 2]
    assert (
        "mooncake: conversation_trace: input tokens found in the cache, not read again: 1,536" in read("mooncake").notes
    )
    fine = read("mooncake", window=10 * SECOND, replica=4)
    assert [(job.submit // SECOND, job.duration) for job in fine.jobs] == [
        (0, 10 * SECOND),
        (20, 10 * SECOND),
        (600, 10 * SECOND),
    ]
    assert [part.pods for part in fine.jobs[2].parts] == [50, 40]
    assert fine.jobs[0].gpus == 8_000


def test_steps_take_as_long_as_the_accelerator_needs() -> None:
    assert (
        "gavel: jobs that were not measured on so many cards, so that the rate of one card is taken: 1"
        in read("gavel").notes
    )
    line = {
        "x.trace": samples.GAVEL_LINE.encode() * 2,
        "simulation_throughputs.json": samples.TEXTS["gavel"]["simulation_throughputs.json"].encode(),
    }
    assert [(job.duration, job.gpus) for job in load("gavel", line).jobs] == [(200 * SECOND, 1000)] * 2
    slow = load("gavel", line, LoadOptions(worker="k80"))
    assert [job.duration for job in slow.jobs] == [1000 * SECOND] * 2
    with pytest.raises(InputError, match="no accelerator 'h100'"):
        read("gavel", worker="h100")
    with pytest.raises(InputError, match=r"no measured steps a second of 'ResNet-18 \(batch size 16\)'"):
        read("gavel", worker="k80")
    bare = load("gavel", {"x.trace": samples.GAVEL_LINE.encode()}, LoadOptions(duration=5 * MINUTE))
    assert bare.jobs[0].duration == 5 * MINUTE
    assert any("every job takes 5m" in note for note in bare.notes)


def test_shockwaves_own_lines_have_a_duration() -> None:
    (job,) = load("shockwave", {"x.trace": samples.SHOCKWAVE_LINE.encode()}).jobs
    assert (job.duration, job.gpus) == (1418 * SECOND, 2000)


def test_a_unit_that_is_not_told_can_be_assumed() -> None:
    assert [job.duration for job in read("chronus", unit=SECOND).jobs] == [211 * SECOND, 31 * SECOND]


def test_one_of_several_workloads_in_a_file_is_replayed() -> None:
    assert any("workload workloads/1 of 2" in note for note in read("pollux").notes)
    assert [job.name for job in read("pollux", part="small/1").jobs] == ["deepspeech2-0", "cifar10-1"]
    with pytest.raises(InputError, match="no workload 'smal/1' in it, did you mean 'small/1'"):
        read("pollux", part="smal/1")


def test_of_several_samples_one_is_replayed_and_the_others_are_named() -> None:
    files = {name: samples.MURI.encode() for name in ("trace2.csv", "trace1.csv", "cluster_trace.csv")}
    trace = load("muri", files)
    assert len(trace.jobs) == 2
    assert (
        "muri: trace1.csv is replayed; name another one to replay it instead: trace2.csv, cluster_trace.csv"
        in trace.notes
    )


def test_processors_may_be_cores_instead_of_cards() -> None:
    trace = read("swf", processor="cpu", cpu_jobs=True)
    assert [(job.gpus, job.cpu) for job in trace.jobs] == [(0, 8_000), (0, 4_000)]
    with pytest.raises(InputError, match="no jobs in it"):
        read("swf", processor="cpu")


def test_several_clusters_of_one_format_keep_their_jobs_apart() -> None:
    twice = {"a/cluster_log.csv": samples.HELIOS.encode(), "b/cluster_log.csv": samples.HELIOS.encode()}
    names = [job.name for job in load("helios", twice).jobs]
    assert names == ["a-1425511", "b-1425511", "a-1425512", "b-1425512"]


@pytest.mark.parametrize(
    ("kind", "files", "word"),
    [
        ("pai", {"pai_job_table.csv": samples.PAI_JOBS}, "pai_task_table.csv is missing"),
        ("lingjun", {"job.csv": samples.LINGJUN_JOBS}, "worker.csv is missing"),
        ("sacct", {"sacct.txt": "JobID|State\n1|COMPLETED\n"}, "no column Submit, Elapsed"),
        ("sacct", {"sacct.txt": "JobID|Submit|Elapsed|State\n"}, "no column ReqTRES or AllocTRES"),
        ("swf", {"log.swf": "; nothing\n"}, "no jobs in it"),
        ("gavel", {"a-b.csv": "x\n"}, "missing: job_type"),
    ],
)
def test_what_is_missing_is_named(kind: str, files: dict[str, str], word: str) -> None:
    with pytest.raises(InputError) as caught:
        load(kind, {name: text.encode() for name, text in files.items()})
    assert word in caught.value.faults[0].message


BROKEN = {
    ("helios", "1425511,uXBbc", "1425512,uXBbc"): "the id '1425512' stands in line 2 already",
    ("acme", ",117,", ",-117,"): "column duration: expected a number from 0 up",
    ("pai", ",50.0,", ",half,"): "column plan_gpu: expected a number, found 'half'",
    ("gpu-v2025", "101.0,160.0", "101.0,60.0"): "column deletion_time: before creation_time",
    ("spot", ",Spot", ",Other"): "column job_type: expected HP or Spot, found 'Other'",
    ("spot", ",94,", ",0,"): "column worker_num: expected at least 1",
    ("lingjun", '{""cpu"": ""4"",', "{cpu: 4,"): "column RES",
    ("lingjun", "2023/7/15 02:51", "2023/7/15 02:20"): "column gmt_job_finished: before gmt_job_running",
    ("lingjun", "2023/7/15 02:21", "2023/7/15 02:18"): "column gmt_job_running: before gmt_job_submitted",
    ("mooncake", '"timestamp": 27482', '"timestamp": -1'): "Expected `int` >= 0",
    ("azure", ",3180,8", ",3180"): "2 fields where the header has 3",
    ("gavel", ",1000,", ",many,"): "column total_steps",
    ("swf", "-1 4 -1 -1 -1\n 2", "-1 4 -1 -1\n 2"): "17 fields where the format has 18",
    ("sacct", "1-02:03:04|2-", "soon|2-"): "column Elapsed: expected a time such as 1-02:03:04, found 'soon'",
    (
        "sacct",
        "gres/gpu=16,mem=512G,node=2|billing",
        "gres/gpu=many,mem=512G,node=2|billing",
    ): "gres/gpu: expected a whole number, found 'many'",
    ("sacct", "mem=512G,node=2|b", "mem=lots,node=2|b"): "mem: expected a size",
    ("pollux", "imagenet,2,", "imagenet,0,"): "column num_replicas: expected at least 1 card",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_row_is_named_and_may_be_skipped(broken: tuple[str, str, str]) -> None:
    kind, old, new = broken
    assert any(old in text for text in samples.TEXTS[kind].values())
    files = {name: text.replace(old, new, 1).encode() for name, text in samples.TEXTS[kind].items()}
    with pytest.raises(InputError) as caught:
        load(kind, files)
    assert BROKEN[broken] in caught.value.faults[0].message
    assert any(caught.value.faults[0].path.startswith(f"{name}:") for name in files)
    trace = load(kind, files, LoadOptions(skip_bad=True))
    assert (trace.skipped, len(trace.bad)) == (1, 1)
    assert 0 < len(trace.jobs) <= len(EXPECTED[kind])
