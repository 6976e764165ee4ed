"""The file that a call names."""

from __future__ import annotations

from dmm.observations.files import named_path


def test_a_list_of_paths_names_no_single_file() -> None:
    assert named_path({"path": ["a.py", "b.py"]}) == ""
    assert named_path({"path": ["a.py"]}) == "a.py"
    assert named_path({"file_path": "src/a.py"}) == "src/a.py"
