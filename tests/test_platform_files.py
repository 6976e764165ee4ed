"""Which files are type-checked for macOS and Windows too."""

from __future__ import annotations

from tools.platform_files import find_varying, imported


def test_modules_that_differ_between_platforms_are_known_by_their_stubs() -> None:
    varying = find_varying()

    assert {"os", "signal", "socket", "fcntl", "msvcrt", "pathlib", "subprocess"} <= varying
    assert varying.isdisjoint({"json", "re", "dataclasses", "hashlib"})


def test_an_import_counts_wherever_it_stands() -> None:
    source = (
        "import json\nif True:\n    from os.path import join\ndef f():\n    import signal as s\n"
    )

    assert set(imported(source)) == {"json", "os", "signal"}
