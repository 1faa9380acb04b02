"""A data file of a workload, as the engine reads it."""

import csv
import io


def rows_of(data: bytes) -> list[list[str]]:
    """Comma-separated values, the columns' names first; there is one row of values at least.

    Raises ValueError that names the line.
    """
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
        rows = [(reader.line_num, row) for row in reader if row]
    except UnicodeDecodeError as error:
        raise ValueError(f"line {data[: error.start].count(10) + 1}: is not UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None
    columns = [name.strip() for name in rows[0][1]] if rows else []
    if not all(columns):
        raise ValueError(f"line 1: column {columns.index('') + 1} has no name")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"line 1: two columns are called {twice[0]}")
    if len(rows) < 2:
        raise ValueError("there is no row of values below the line that names the columns")
    for line, row in rows:
        if len(row) != len(columns):
            values = f"the row has {len(row)} of {len(columns)} values"
            raise ValueError(f"line {line}: {values}")
    return [columns, *(row for _, row in rows[1:])]
