"""The whole table of compatibility: every kind of every dialect, in the order of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from railwise.formats.kubernetes.dialects import kai_fields, kueue_fields, upstream_fields, volcano_fields
from railwise.formats.kubernetes.dialects.fields import Row, Table
from railwise.formats.kubernetes.dialects.sources import Kind

TABLES: Final[tuple[Table, ...]] = (
    *kueue_fields.TABLES,
    *kai_fields.TABLES,
    *volcano_fields.TABLES,
    *upstream_fields.TABLES,
)
"""All kinds."""

ROWS: Final[Mapping[Kind, tuple[Row, ...]]] = {table.kind: table.rows for table in TABLES}
"""The rows of each kind."""
