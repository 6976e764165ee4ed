"""Every way in which a tool hands over text counts as writing it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.rules.content.pattern import ContentPattern

if TYPE_CHECKING:
    from tests.rules.content.conftest import Judge


LOG = ContentPattern(pattern="console.log($$$)")
ADDED = "start();\nconsole.log(1);\n"
PATCH = """*** Begin Patch
*** Update File: src/a.ts
@@
 start();
+console.log(1);
*** End Patch
"""
UNIFIED = """--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1,2 @@
 start();
+console.log(1);
"""
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("Write", {"file_path": "/project/src/a.ts", "content": ADDED}),
    ("write_file", {"file_path": "src/a.ts", "content": ADDED}),
    ("Edit", {"file_path": "src/a.ts", "old_string": "start();", "new_string": ADDED}),
    ("replace", {"file_path": "src/a.ts", "old_string": "start();", "new_string": ADDED}),
    (
        "MultiEdit",
        {
            "file_path": "src/a.ts",
            "edits": [
                {"old_string": "start();", "new_string": "begin();"},
                {"old_string": "begin();", "new_string": "begin();\nconsole.log(1);"},
            ],
        },
    ),
    ("str_replace_editor", {"command": "create", "path": "src/a.ts", "file_text": ADDED}),
    (
        "str_replace_based_edit_tool",
        {"command": "insert", "path": "src/a.ts", "insert_line": 1, "insert_text": ADDED},
    ),
    (
        "mcp__filesystem__edit_file",
        {"path": "src/a.ts", "edits": [{"oldText": "start();", "newText": ADDED}]},
    ),
    ("mcp__files__write_files", {"files": [{"path": "src/a.ts", "content": ADDED}]}),
    ("edit_file", {"target_file": "src/a.ts", "code_edit": ADDED}),
    ("apply_patch", {"input": PATCH}),
    ("apply_patch", {"input": PATCH.replace("Update", "Add").replace(" start", "+start")}),
    ("shell", {"command": ["apply_patch", PATCH]}),
    ("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}EOF"}),
    ("Bash", {"command": f"git apply <<'EOF'\n{UNIFIED}EOF"}),
    ("Bash", {"command": f"patch -p1 <<'EOF'\n{UNIFIED}EOF"}),
    ("Bash", {"command": f"cat > src/a.ts <<'EOF'\n{ADDED}EOF"}),
    ("Bash", {"command": f"cat <<'EOF' >> src/a.ts\n{ADDED}EOF"}),
    ("Bash", {"command": f"cd src && cat > a.ts <<-EOF\n\t{ADDED}\tEOF"}),
    ("Bash", {"command": f"tee src/a.ts <<'EOF' >/dev/null\n{ADDED}EOF"}),
    ("Bash", {"command": "echo 'console.log(1)' > src/a.ts"}),
    ("Bash", {"command": "printf '%s\\n' 'console.log(1)' >> src/a.ts"}),
    ("Bash", {"command": "echo 'console.log(1)' | tee -a src/a.ts"}),
    ("Bash", {"command": "sed -i 's/start()/console.log(1)/' src/a.ts"}),
]


@pytest.mark.parametrize(("tool", "values"), FORMS)
def test_what_a_tool_writes_is_searched(tool: str, values: dict[str, Any], judge: Judge) -> None:
    assert judge(tool, values, LOG).level == "deny"
    assert judge(tool, values, LOG, files={"src/a.ts": "start();\n"}).level == "deny"


@pytest.mark.parametrize(("tool", "values"), FORMS)
def test_the_same_call_without_the_text_is_allowed(
    tool: str, values: dict[str, Any], judge: Judge
) -> None:
    other = json.loads(json.dumps(values).replace("console.log", "logger.info"))

    assert judge(tool, other, LOG, files={"src/a.ts": "start();\n"}).level == "allow"


def test_a_cell_of_a_notebook_is_python(judge: Judge) -> None:
    notebook = json.dumps({"cells": [{"id": "a", "cell_type": "code", "source": ["print(1)\n"]}]})
    values = {"notebook_path": "n.ipynb", "cell_id": "a", "new_source": "print(1)\nx = 2"}
    printing, setting = ContentPattern(pattern="print($$$)"), ContentPattern(pattern="x = $A")

    assert judge("NotebookEdit", values, printing).level == "deny"
    assert judge("NotebookEdit", values, printing, files={"n.ipynb": notebook}).level == "allow"
    assert judge("NotebookEdit", values, setting, files={"n.ipynb": notebook}).level == "deny"
    markdown = {**values, "cell_type": "markdown"}
    assert judge("NotebookEdit", markdown, setting).level == "allow"


def test_reading_and_searching_write_nothing(judge: Judge) -> None:
    anything = ContentPattern(regex="console")

    assert judge("Read", {"file_path": "src/a.ts"}, anything).level == "allow"
    assert judge("Grep", {"pattern": "console.log", "path": "src"}, anything).level == "allow"
    assert judge("Bash", {"command": "git grep 'console.log'"}, anything).level == "allow"
    assert judge("Bash", {"command": "echo 'console.log(1)'"}, anything).level == "allow"


def test_a_patch_is_laid_over_the_file_with_other_blanks(judge: Judge) -> None:
    patch = "*** Update File: a.py\n@@\n def f():\n-    x = 1\n+    print(2)\n"
    file = "def f():  \n    x = 1\n    return 3\n"

    ruling = judge(
        "apply_patch", {"input": patch}, ContentPattern(pattern="print($A)"), files={"a.py": file}
    )

    assert ruling.findings[0].reason.endswith('("a.py line 2")')


def test_a_file_moved_by_a_patch_is_known_by_its_new_name(judge: Judge) -> None:
    patch = "*** Update File: a.js\n*** Move to: b.ts\n@@\n-start()\n+console.log(1)\n"
    files = {"a.js": "start()\n"}

    ruling = judge("apply_patch", {"input": patch}, LOG, files=files)

    assert "b.ts line 1" in ruling.reason
