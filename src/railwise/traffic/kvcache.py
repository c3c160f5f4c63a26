"""Prefill and decode on different nodes: the KV cache of every prompt moves from one to the other.

The size of a cache per token follows from a model's shape; the traffic per second from the tokens that prefill turns
out. Whether the links keep up is a question of bytes per second, not of latency.
"""

from __future__ import annotations

from typing import Final

KEY_AND_VALUE: Final = 2


def bytes_per_token(layers: int, kv_heads: int, head_dim: int, element: int = 2) -> int:
    """Return the KV bytes of one token: 2 · layers · KV heads · head dimension · bytes of an element.

    The definition of attention with grouped queries (Ainslie and others, GQA): one key and one value per KV head.
    """
    return KEY_AND_VALUE * layers * kv_heads * head_dim * element


def latent_bytes_per_token(layers: int, rank: int, rope_dim: int, element: int = 2) -> int:
    """Return the bytes of one token under multi-head latent attention: layers · (rank + RoPE part) · bytes.

    From the DeepSeek-V2 paper: only the compressed latent and the shared rotary key are kept.
    """
    return layers * (rank + rope_dim) * element


def cache_per_second(per_token: int, tokens_per_second: int) -> int:
    """Return the bytes of KV cache that prefill hands over in one second."""
    return per_token * tokens_per_second
