"""Constructs: what people call a piece of code in words, and how it looks when it is written."""

from __future__ import annotations

import re
from typing import NamedTuple

LANGUAGES = {
    "typescript": ["*.ts", "*.tsx", "*.mts", "*.cts"],
    "javascript": ["*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts", "*.vue"],
    "python": ["*.py", "*.pyi"],
    "rust": ["*.rs"],
    "go": ["*.go"],
    "java": ["*.java"],
    "kotlin": ["*.kt", "*.kts"],
    "swift": ["*.swift"],
    "ruby": ["*.rb"],
    "php": ["*.php"],
    "c++": ["*.cpp", "*.cc", "*.cxx", "*.hpp", "*.h"],
    "c#": ["*.cs"],
    "css": ["*.css", "*.scss", "*.less", "*.sass"],
    "markup": ["*.tsx", "*.jsx", "*.html", "*.vue", "*.svelte", "*.astro"],
    "sql": ["*.sql"],
}
CALLED = {
    "ts": "typescript", "js": "javascript", "react": "markup", "jsx": "markup", "html": "markup",
    "golang": "go", "components": "markup", "stylesheets": "css", "cpp": "c++",
}  # fmt: skip
# Prose may speak of code without being code; a rule file speaks of what it forbids.
CODE = ["**", "!*.md", "!*.mdx", "!*.rst", "!*.txt", "!*.adoc", "!**/docs/**", "!.dmm/**"]
# A line that is a comment does nothing.
_LINE = r"^(?!\s*(?://|/\*|\*\s|#\s|--\s)).*?"
KEYS = (  # the look of one, not one
    r"\b(?:[sr]k_live_\w{16,}|AKIA[0-9A-Z]{16}|gh[pousr]_\w{36,}|github_pat_\w{22,}"
    r"|xox[abprs]-[\w-]{20,}|AIza[\w-]{35}|sk-(?:ant-|proj-)?[\w-]{32,}|glpat-[\w-]{20,})"
    r"|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"
)
EMOJI = r"[\U0001F300-\U0001FAFF\u2600-\u27BF]"


class Construct(NamedTuple):
    """A construct: its language, its look (a regex or rule on syntax), a line with, one without."""

    language: str
    look: str | dict[str, object]
    bad: str
    good: str


_SUPPRESSION = (
    r"eslint-disable|(?<!\w)#\s*noqa\b|pylint:\s*disable|biome-ignore|rubocop:disable|//nolint"
)
_SKIPPED = (
    r"@(?:pytest\.mark|unittest)\.skip|\bpytest\.skip\(|\b(?:it|test|describe)\.skip\("
    r"|(?:^|\s)x(?:it|describe)\(|^\s*@(?:Disabled|Ignore)\b|^\s*#\[ignore\b|\bt\.Skip\("
)
# What it is called; its language; how it looks; a line with it, and one without.
_TABLE = (
    ("default export", "javascript",
     r"^\s*export\s+default\b", "export default main", "export { main }"),
    ("inline style", "markup", r'\bstyle=(?:\{\{|")', "<a style={{ top: 0 }}>", "<a class={b}>"),
    ("type assertion|type cast|as cast", "typescript",
     {"kind": "as_expression", "not": {"regex": "as const$"}},
     "let a = b as Name", "let a: Name = b"),
    ("non-null assertion", "typescript",
     {"kind": "non_null_expression"}, "let a = b!.c", "let a = b?.c"),
    ("any|any type|explicit any|type any", "typescript",
     {"kind": "predefined_type", "regex": "^any$"}, "let a: any", "let a: unknown"),
    ("enum", "typescript",
     r"^\s*(?:export\s+)?(?:const\s+)?enum\s+\w", "enum A { B }", "type A = 'b'"),
    ("class component", "javascript",
     r"\bextends\s+(?:React\.)?(?:Pure)?Component\b",
     "class A extends Component {", "function A() {"),
    ("console log|console.log|console.log statement|console statement", "javascript",
     _LINE + r"\bconsole\.(?:log|debug|info)\s*\(", "console.log(a)", "log(a)"),
    ("debugger|debugger statement", "javascript", r"^\s*debugger\b", "debugger;", "start();"),
    ("var", "javascript", r"^\s*var\s+\w", "var a = 1", "let a = 1"),
    ("eval", "", _LINE + r"(?<![\w.$])eval\s*\(", "eval(a)", "parse(a)"),
    ("unsafe|unsafe code|unsafe block", "rust",
     _LINE + r"\bunsafe\s*(?:\{|(?:fn|impl|trait|extern)\b)", "unsafe { a }", "bytes[0]"),
    ("unwrap|unwrap call", "rust", _LINE + r"\.unwrap\(\)", "a().unwrap()", "a()?"),
    ("bare except|except", "python", r"^\s*except\s*:", "except:", "except ValueError:"),
    ("wildcard import|star import", "python",
     r"^\s*from\s+\S+\s+import\s+\*", "from a import *", "from a import b"),
    ("print|print statement|print call", "python",
     _LINE + r"(?<![\w.])print\s*\(", "print(a)", "log.info(a)"),
    ("global statement", "python", r"^\s*global\s+\w", "global a", "a = 1"),
    ("mutable default argument|mutable default", "python",
     r"^\s*(?:async\s+)?def\s[^)]*=\s*(?:[\[{]|(?:list|dict|set)\()",
     "def f(a=[]):", "def f(a=None):"),
    ("default parameter value|default argument|default parameter", "python",
     r"^\s*(?:async\s+)?def\s+\w+\([^)]*\w\s*(?::[^=,)]+)?=", "def f(a=1):", "def f(a):"),
    ("todo|todo comment|fixme|fixme comment", "", r"\b(?:TODO|FIXME)\b", "# TODO: end", "# ended"),
    ("emoji", "", EMOJI, "log('\N{SPARKLES}')", "log('a')"),
    ("!important", "css", r"!important", "a { top: 0 !important }", "a { top: 0 }"),
    ("secret|api key|api token|credential|private key|access token|hardcoded secret"
     "|hardcoded credential", "",
     # The head of a key holds nothing secret: redaction leaves it in the file of the rule.
     KEYS, "-----BEGIN PRIVATE KEY-----", "environ[KEY]"),
    ("lint rule|linter rule|eslint rule|lint warning|lint error", "",
     _SUPPRESSION, "// eslint-disable-line", "// strict"),
    ("type check|type error|type checker", "",
     r"@ts-(?:ignore|nocheck)|#\s*type:\s*ignore", "// @ts-ignore", "// typed"),
    ("test|failing test|broken test|flaky test", "",
     _SKIPPED, "@pytest.mark.skip", "@pytest.mark.slow"),
)  # fmt: skip
# These are named with the verb that makes them what they are: "disable lint rules", "skip tests".
SUPPRESSED = ("lint rule", "type check", "test")
CONSTRUCTS = {
    phrase: (row[0].partition("|")[0], Construct(*row[1:]))
    for row in _TABLE
    for phrase in row[0].split("|")
}
LONGEST = max(len(phrase.split()) for phrase in CONSTRUCTS)


# A keyword or a sign that only one language has.
_SIGNS = (
    (re.compile(r"::|^#!?\[|^\w+!$|^&(?:mut|str)\b"), "rust"),
    (
        re.compile(r"^(?:def|elif|except|lambda|from \w|self\.|__\w+__$)|^@pytest|\bNone\b"),
        "python",
    ),
    (
        re.compile(r"=>|===?|^(?:const|let|console\.|window\.|document\.|use[A-Z])|@ts-"),
        "javascript",
    ),
    (re.compile(r"^fmt\.|:=|^go func"), "go"),
)


def language_of(code: str) -> str:
    """Name the language that a piece of code can only be of, or nothing."""
    return next((name for sign, name in _SIGNS if sign.search(code)), "")


def files_of(language: str) -> list[str]:
    """List the files that hold a language; all but prose where none is known."""
    return list(LANGUAGES.get(language, CODE))


_CALL = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*\(\)?(?:\.{3})?\)?")
_NAME = re.compile(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$*][\w$]*)+!?|@[A-Za-z][\w.-]*")
_CASED = re.compile(
    r"(?:[A-Z][a-z0-9]+){2,}|[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\w+(?:_\w+)+|\w+!"
)
_WRITTEN = re.compile(r"[#@<\[({=!]|[\])};:]$|=>|==")
_MACRO_OR_METHOD = re.compile(r"\.[a-z_]\w*\(\)?\)?")


def looks_like_code(text: str) -> bool:
    """Whether a word can only be a name in a program: a call, a dotted or a cased name."""
    if re.fullmatch(r"[\w.-]+\.(?:com|org|io|dev|net|md|txt|json|toml|ya?ml|py|js|ts)", text):
        return False
    return any(form.fullmatch(text) for form in (_CALL, _NAME, _CASED, _MACRO_OR_METHOD))


def regex_of(code: str) -> str | None:
    """Write the regex that finds a piece of code; none where it could be anything."""
    text = code.strip()
    if looks_like_code(text):
        return _name_regex(text)
    # What stands for any name is a pattern for a reader, not the text that is meant.
    made_up = re.search(r"\.{3}|\b(?:foo|bar|baz|x|y|Foo|Bar|name|some|my\w*)\b|[<{]\w+[>}]", text)
    if len(text) > 3 and _WRITTEN.search(text) and re.search(r"[A-Za-z]{2}", text) and not made_up:
        parts = [re.escape(part) for part in re.findall(r"\w+|[^\w\s]", text)]
        lead = r"(?<![\w.])" if text[0].isalnum() else ""
        return lead + r"\s*".join(parts)
    return None


def _name_regex(text: str) -> str:
    name = text.rstrip(".)(")
    called = r"\s*\(" if text != name else r"(?![\w])"
    if name.startswith("."):
        return re.escape(name) + called
    if name.endswith("!") or name.startswith("@"):
        called = "" if name.endswith("!") else called
    dotted = re.search(r"\.|::|->", name)
    # `check()` is not `other.check()` nor its definition; `self.log.error()` is `log.error()`.
    lead = r"(?<![\w$:])" if dotted or name.startswith("@") else r"(?<![\w$.])"
    defined = "" if dotted or text == name else r"(?<!def )(?<!fn )(?<!func )(?<!function )"
    return lead + defined + re.escape(name) + called


def content_of(regex: str, *, comments: bool = False) -> dict[str, object]:
    """Write a content matcher; what only a comment says is left alone unless it is meant."""
    whole = regex if comments else _LINE + regex
    return {"content": {"regex": whole}}
