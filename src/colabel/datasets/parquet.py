"""Parquet: typed columns, among them lists of tags."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from colabel.datasets._files import DataError
from colabel.datasets.tables import Block


class Parquet:
    """A Parquet file, read some row at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as file:
            self.names = list(file.schema_arrow.names)

    def blocks(self, names: Sequence[str], rows: int) -> Iterator[Block]:
        """The named columns, so many rows at a time."""
        first = 1
        with self._open() as file:
            for batch in file.iter_batches(batch_size=rows, columns=list(names)):
                columns = {name: _column(batch.column(name)) for name in names}
                yield Block(self.path, columns, range(first, first + batch.num_rows), unit="row")
                first += batch.num_rows

    @contextmanager
    def _open(self) -> Iterator[Any]:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise DataError.at(
                self.path, None, "Parquet needs pyarrow; pip install 'colabel[parquet]'"
            ) from None
        try:
            with pyarrow.parquet.ParquetFile(self.path) as file:
                yield file
        except DataError:
            raise
        except (OSError, ValueError, pyarrow.ArrowException) as error:
            what = str(error).splitlines()[0]
            raise DataError.at(self.path, None, f"cannot be read as Parquet: {what}") from None


def _column(column: Any) -> Any:
    """Numbers as an array, with NaN for what is missing; anything else as a list."""
    from pyarrow import types

    kind = column.type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        values = column.to_numpy(zero_copy_only=False)
        return np.array(
            [np.nan if v is None else v for v in values] if values.dtype == object else values,
            dtype=np.float64,
        )
    return column.to_pylist()
