"""Which tests one worker runs one after another, in a run with several."""

from __future__ import annotations

from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

__all__ = ["FileScheduling"]

TOGETHER: Final = ("tests/site/",)
"""Folders whose files share what takes long to make: all of one go to one worker."""


class FileScheduling(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives a worker one file after another, so that what its tests share is made once."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False  # long files are not those with many tests
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)
