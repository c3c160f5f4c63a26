from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from railwise.model.card_models import (
    CARD_MODELS,
    CardModel,
    MigProfile,
    find_model,
    find_profile,
    is_known_profile,
    lay_out,
)


def model(name: str) -> CardModel:
    found = find_model(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("H100-80GB", "H100-80GB"),
        ("NVIDIA-H100-80GB-HBM3", "H100-80GB"),
        ("NVIDIA-H100-PCIe", "H100-80GB"),
        ("NVIDIA-H100-NVL", "H100-94GB"),
        ("NVIDIA-A100-SXM4-40GB", "A100-40GB"),
        ("NVIDIA A100-PCIE-80GB", "A100-80GB"),
        ("Tesla-T4", "T4-16GB"),
        ("Tesla V100-SXM2-32GB", "V100-32GB"),
        ("NVIDIA-GH200-480GB", "GH200-96GB"),
        ("nvidia-gb200", "GB200-186GB"),
        ("NVIDIA-L40S", "L40S-48GB"),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "RTX-PRO-6000-96GB"),
    ],
)
def test_a_model_is_known_by_its_product_names(name: str, known: str) -> None:
    assert model(name).name == known


@pytest.mark.parametrize("name", ["", "X900-99GB", "A100-99GB", "H1000", "40GB"])
def test_other_names_are_unknown(name: str) -> None:
    assert find_model(name) is None


@pytest.mark.parametrize(
    ("card", "profile", "compute", "memory"),
    [
        ("A100-40GB", "1g.5gb", 1, 1),
        ("A100-40GB", "1g.10gb", 1, 2),
        ("A100-40GB", "3g.20gb", 3, 4),
        ("A100-40GB", "7g.40gb", 7, 8),
        ("H100-80GB", "1g.10gb", 1, 1),
        ("H100-80GB", "7g.79gb", 7, 8),
        ("H100-94GB", "1g.12gb", 1, 1),
        ("H100-94GB", "4g.47gb", 4, 4),
        ("H200-141GB", "1g.18gb", 1, 1),
        ("H200-141GB", "2g.35gb", 2, 2),
        ("H200-141GB", "1g.35gb", 1, 2),
        ("B200-180GB", "1g.23gb", 1, 1),
        ("GB200-186GB", "3g.95gb", 3, 4),
        ("GB200-186GB", "7g.189gb", 7, 8),
        ("B300-269GB", "1g.34gb", 1, 1),
        ("A30-24GB", "2g.12gb", 2, 2),
        ("RTX-PRO-6000-96GB", "1g.24gb+gfx", 1, 1),
    ],
)
def test_a_profile_is_known_by_its_slices_on_each_card(card: str, profile: str, compute: int, memory: int) -> None:
    found = find_profile(model(card), profile)
    assert found is not None
    assert (found.compute, found.memory, found.media) == (compute, memory, False)


@pytest.mark.parametrize(
    ("card", "profile"),
    [
        ("A100-40GB", "1g.20gb"),
        ("A100-40GB", "5g.20gb"),
        ("H100-80GB", "1g.5gb"),
        ("H100-94GB", "1g.10gb"),
        ("A30-24GB", "1g.12gb"),
        ("T4-16GB", "1g.2gb"),
        ("A100-40GB", "1g.5gb+x"),
        ("A100-40GB", "1g5gb"),
    ],
)
def test_other_profiles_are_not_those_of_the_card(card: str, profile: str) -> None:
    assert find_profile(model(card), profile) is None


def test_a_profile_that_no_card_has_is_told_apart() -> None:
    assert is_known_profile("1g.18gb")
    assert not is_known_profile("9g.5gb")


def test_starts_lie_on_the_card_and_are_aligned() -> None:
    for card in CARD_MODELS:
        for cut in card.cuts:
            assert all(start % cut.memory == 0 for start in cut.starts), card.name
            assert all(start + cut.memory <= card.memory_slices for start in cut.starts), card.name


@pytest.mark.parametrize(
    ("card", "layout", "starts"),
    [
        ("A100-40GB", ["1g.5gb"] * 7, (0, 1, 2, 3, 4, 5, 6)),
        ("A100-40GB", ["1g.5gb"] * 8, None),
        ("A100-40GB", ["3g.20gb", "2g.10gb", "1g.5gb", "1g.5gb"], (4, 0, 2, 3)),
        ("A100-40GB", ["4g.20gb", "3g.20gb"], (0, 4)),
        ("A100-40GB", ["4g.20gb", "4g.20gb"], None),
        ("A100-40GB", ["7g.40gb"], (0,)),
        ("A100-40GB", ["1g.5gb+me", "1g.5gb+me"], None),
        ("A100-40GB", ["1g.18gb"], None),
        ("A100-40GB", ["1g.5gb"] * 17, None),
        ("A100-40GB", [], ()),
        ("H100-80GB", ["3g.40gb", "3g.40gb", "1g.10gb"], None),
        ("H100-80GB", ["1g.20gb"] * 4, (0, 2, 4, 6)),
        ("A30-24GB", ["2g.12gb", "1g.6gb", "1g.6gb"], (0, 2, 3)),
    ],
)
def test_a_layout_has_its_places_or_is_impossible(card: str, layout: list[str], starts: tuple[int, ...] | None) -> None:
    assert lay_out(model(card), layout) == starts


def overlap_free(profiles: list[MigProfile]) -> bool:
    """Try every combination of starts."""
    for starts in product(*(profile.starts for profile in profiles)):
        taken: set[int] = set()
        for profile, start in zip(profiles, starts, strict=True):
            taken |= set(range(start, start + profile.memory))
        if len(taken) == sum(profile.memory for profile in profiles):
            return True
    return False


def test_a_layout_is_found_exactly_where_trying_everything_finds_one() -> None:
    card = model("A100-40GB")
    names = ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"]
    for size in (1, 2, 3, 4):
        for layout in combinations_with_replacement(names, size):
            profiles = [find_profile(card, name) for name in layout]
            assert (lay_out(card, layout) is not None) == overlap_free([one for one in profiles if one is not None])
