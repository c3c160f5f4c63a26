"""What pods of a live cluster say beside the codes of the engine."""

from __future__ import annotations

import json

import pytest

from railwise.model.reason import Code
from railwise.report.live_words import LIVE_WORDS
from tests.cli.conftest import Railwise


@pytest.mark.parametrize("word", LIVE_WORDS)
def test_explain_knows_what_pods_say(railwise: Railwise, word: str) -> None:
    done = railwise("explain", word.lower())
    assert done.code == 0
    assert done.out.startswith(f"{word}: {LIVE_WORDS[word].brief}")
    assert json.loads(railwise("explain", word, "-o", "json").out)["word"] == word


def test_no_word_is_a_code() -> None:
    assert not LIVE_WORDS.keys() & {code.value for code in Code}
