"""Golden files: what people read, kept whole. `BAKEOFF_GOLDEN=write pytest tests/report` makes them
anew; look at the difference before you commit it.
"""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def same_as_golden(name: str, text: str) -> None:
    """`text` is what the file `golden/<name>` has, or becomes it."""
    path = FOLDER / name
    if os.environ.get("BAKEOFF_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs from its golden file"
