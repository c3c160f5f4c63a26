"""The webhook without an API server: what it answers, and when its certificate is replaced."""

from __future__ import annotations

import base64
import datetime as dt
import json
import ssl
from typing import Any

import aiohttp
import pytest

from railwise.controllers.admission_keeper import Place, load
from railwise.controllers.admission_tls import MARK, Pair, due, new_pair, still_valid
from railwise.controllers.admission_webhook import PATH, answer_to, webhook
from railwise.formats.kubernetes.gate_marks import GATE

NOW = dt.datetime.now(dt.UTC)
DAY = dt.timedelta(days=1)


def review(**spec: Any) -> bytes:
    meta = {"name": "p", "labels": spec.pop("labels", {}), "ownerReferences": spec.pop("owners", [])}
    pod = {"metadata": meta, "spec": {"schedulerName": "default-scheduler", **spec}}
    return json.dumps({"kind": "AdmissionReview", "request": {"uid": "r-1", "object": pod}}).encode()


@pytest.mark.parametrize(
    ("spec", "patch"),
    [
        ({}, {"op": "add", "path": "/spec/schedulingGates", "value": [{"name": GATE}]}),
        (
            {"schedulingGates": [{"name": "example.com/x"}]},
            {"op": "add", "path": "/spec/schedulingGates/-", "value": {"name": GATE}},
        ),
        ({"schedulingGates": [{"name": GATE}]}, None),
        ({"schedulerName": "volcano"}, None),
        ({"nodeName": "n1"}, None),
        ({"labels": {GATE: "disabled"}}, None),
        ({"labels": {GATE: "released"}}, None),
        ({"owners": [{"kind": "DaemonSet", "name": "d", "controller": True}]}, None),
        ({"owners": [{"kind": "ReplicaSet", "name": "d"}], "labels": {GATE: "other"}}, GATE),
    ],
)
def test_what_is_answered(spec: dict[str, Any], patch: Any) -> None:
    answer = answer_to(review(**spec))
    response = answer["response"]
    assert (response["uid"], response["allowed"]) == ("r-1", True)
    if patch is None:
        assert "patch" not in response
    else:
        (found,) = json.loads(base64.b64decode(response["patch"]))
        assert patch in (found, found["value"][0]["name"] if isinstance(found["value"], list) else "")


async def test_nonsense_is_refused_and_the_next_is_answered() -> None:
    pair = new_pair("127.0.0.1", NOW)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load(context, pair)
    trust = ssl.create_default_context(cadata=pair.authorities)
    async with webhook("127.0.0.1", 0, context) as port, aiohttp.ClientSession() as session:
        url = f"https://127.0.0.1:{port}{PATH}"
        for body in (b"", b"\xff\x00", b"[]", b'{"request": {"uid": 3}}', b'{"request": {"uid": "x"}}'):
            async with session.post(url, data=body, ssl=trust) as answer:
                assert answer.status == 400
                assert "no review" in await answer.text()
        async with session.post(url, data=review(), ssl=trust) as answer:
            assert (await answer.json())["response"]["uid"] == "r-1"
        async with session.get(url, ssl=trust) as answer:
            assert answer.status == 405
        other = ssl.create_default_context(cadata=new_pair("127.0.0.1", NOW).authorities)
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await session.post(url, data=review(), ssl=other)


@pytest.mark.parametrize(
    ("days", "name", "expected"),
    [(0, "gate.a.svc", False), (59, "gate.a.svc", False), (61, "gate.a.svc", True), (0, "gate.b.svc", True)],
)
def test_when_a_pair_is_replaced(days: int, name: str, expected: bool) -> None:
    assert due(new_pair("gate.a.svc", NOW), name, NOW + days * DAY) is expected


def test_what_is_no_pair_is_replaced() -> None:
    assert due(Pair("", "nonsense", ""), "gate.a.svc", NOW)
    assert still_valid(f"nonsense {MARK} nonsense", NOW) == []


def test_authorities_stay_as_long_as_pairs_of_theirs_may_be_shown() -> None:
    first = new_pair("gate.a.svc", NOW)
    second = new_pair("gate.a.svc", NOW + 61 * DAY, first.authorities)
    third = new_pair("gate.a.svc", NOW + 122 * DAY, second.authorities)
    assert second.authorities.endswith(first.authorities)
    assert third.authorities.endswith(second.authorities.removesuffix(first.authorities))
    assert first.authorities not in third.authorities, "the first has ended"


@pytest.mark.parametrize(
    ("place", "host", "where"),
    [
        (Place(("a", "gate"), 8443), "gate.a.svc", {"namespace": "a", "name": "gate", "port": 8443, "path": PATH}),
        (Place(url="https://10.0.0.7:9443/"), "10.0.0.7", f"https://10.0.0.7:9443{PATH}"),
    ],
)
def test_where_the_webhook_is_found(place: Place, host: str, where: object) -> None:
    config = place.client_config("PEM")
    assert place.host() == host
    assert where in (config.get("service"), config.get("url"))
    assert base64.b64decode(config["caBundle"]) == b"PEM"
