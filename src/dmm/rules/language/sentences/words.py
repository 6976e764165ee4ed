"""Words: verbs by what they do, programs, files, branches and places; small and curated."""

from __future__ import annotations

from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.commands.procedures import PROGRAMS as _STEP_PROGRAMS
from dmm.text import lexicon
from dmm.text.lemmas import base_forms
from dmm.text.words import ENGLISH, english, english_rows, group_by_word, word_set

_GROUPS = group_by_word("verb_groups")


def group_of(word: str) -> str:
    """Name what a verb does, whatever its inflection; nothing for other words."""
    lead, dash, last = word.rpartition("-")
    known = (f"{lead}{dash}{form}" for form in sorted(base_forms(last)))
    return next((_GROUPS[form] for form in known if form in _GROUPS), "")


# "No", "both" and "such" say more than which thing it is: what follows is not the thing itself.
DETERMINERS = lexicon.DETERMINERS - word_set("no both such same another")
NOUNS = group_by_word("act_nouns")
# What may stand before the verb of an order.
LEADS = word_set("always please you we must should")
IDLE = english("idle_adverbs")
PHRASES = tuple(tuple(phrase.split()) for phrase in " ".join(ENGLISH["idle_phrases"]).split(","))
WHOLE = english("whole")
AMBIGUOUS = english("ambiguous")
_PROGRAMS = SUBCOMMANDED | AMBIGUOUS | _STEP_PROGRAMS | english("programs")
PROGRAMS = _PROGRAMS - {"check", "nose", "unit"}
KEYWORDS = english("keywords")
GIT = english("git_subcommands")
# Used in every other command line, for many things: a mere choice is no ground to block them.
EVERYWHERE = word_set("grep find cat sed awk ls head tail python python3 node bash sh echo")
DRY_RUNS = english_rows("dry_runs")
MANAGERS = english_rows("managers")
# What such a manager does apart from the packages and scripts of the project.
APART = [
    "create", "publish", "pack", "view", "info", "show", "search", "login", "logout", "whoami",
    "owner", "help",
]  # fmt: skip
BOTH_NAMES = english_rows("both_names")
CHANGING = ["install", "i", "add", "remove", "uninstall", "update", "upgrade", "sync", "lock", "ci"]
BRANCHES = english("branches")
BRANCH_GROUPS = english_rows("branch_groups")
REMOTES = word_set("upstream origin")
FILE_ENDINGS = english("file_endings")
FILE_NAMES = english("file_names")
FOLDERS = english("folders")
SECRET_FILES = (".env", ".pem", ".key", "id_rsa", "id_ed25519", ".netrc", ".npmrc", ".ssh", ".aws")
ENV_EXAMPLES = [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"]
FILE_KINDS = english_rows("file_kinds")
TESTS = [
    "**/test/**", "**/tests/**", "**/__tests__/**", "**/e2e/**", "**/spec/**",
    "test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "*Test.*", "*Tests.*", "conftest.py",
]  # fmt: skip
ENVIRONMENTS = ("production|prod|prd|live", "staging|stage|stg")
STEPS = group_by_word("steps")
APPROVAL = english("approval")
