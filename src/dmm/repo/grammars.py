"""The grammar of each language, and what counts as a definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar's module and function, its named definitions by kind, and patterns beside them."""

    module: str
    named: Mapping[str, tuple[str, ...]]
    patterns: tuple[str, ...] = ()
    function: str = "language"

    @property
    def query(self) -> str:
        """The definitions as one query: every match has a @name and the whole under its kind."""
        plain = (
            f"({node} name: (_) @name) @{kind}"
            for kind, nodes in self.named.items()
            for node in nodes
        )
        return "\n".join((*plain, *self.patterns))


_SCRIPT = {
    "function": ("function_declaration", "generator_function_declaration"),
    "class": ("class_declaration",),
    "method": ("method_definition",),
}
_TYPED = {
    **_SCRIPT,
    "class": ("class_declaration", "abstract_class_declaration"),
    "interface": ("interface_declaration",),
    "type": ("type_alias_declaration", "enum_declaration"),
}
_ARROWS = (
    "(variable_declarator name: (identifier) @name value: (arrow_function)) @function",
    "(variable_declarator name: (identifier) @name value: (function_expression)) @function",
    # What a module offers is often built by a call: a route, a schema, a router.
    "(export_statement (lexical_declaration (variable_declarator name: (identifier) @name"
    " value: [(call_expression) (object) (new_expression)]) @value))",
)
_C_NAMED = {"macro": ("preproc_def", "preproc_function_def")}
_C_PATTERNS = (
    "(function_definition declarator: (function_declarator declarator: (_) @name)) @function",
    "(function_definition declarator: (pointer_declarator"
    " declarator: (function_declarator declarator: (_) @name))) @function",
    "(struct_specifier name: (_) @name body: (_)) @class",
    "(enum_specifier name: (_) @name body: (_)) @type",
    "(type_definition declarator: (type_identifier) @name) @type",
)
_CPP_PATTERNS = (
    *_C_PATTERNS,
    "(function_definition declarator: (reference_declarator"
    " (function_declarator declarator: (_) @name))) @function",
    "(class_specifier name: (_) @name body: (_)) @class",
    "(namespace_definition name: (_) @name) @module",
)

GRAMMARS = {
    "python": Grammar(
        "tree_sitter_python",
        {"class": ("class_definition",), "function": ("function_definition",)},
        ("(module (expression_statement (assignment left: (identifier) @name) @constant))",),
    ),
    "javascript": Grammar("tree_sitter_javascript", _SCRIPT, _ARROWS),
    "typescript": Grammar("tree_sitter_typescript", _TYPED, _ARROWS, "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", _TYPED, _ARROWS, "language_tsx"),
    "go": Grammar(
        "tree_sitter_go",
        {
            "function": ("function_declaration",),
            "method": ("method_declaration",),
            "type": ("type_spec",),
        },
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        {
            "function": ("function_item",),
            "class": ("struct_item", "union_item"),
            "type": ("enum_item", "type_item"),
            "interface": ("trait_item",),
            "module": ("mod_item",),
            "constant": ("const_item", "static_item"),
            "macro": ("macro_definition",),
        },
    ),
    "java": Grammar(
        "tree_sitter_java",
        {
            "class": ("class_declaration", "record_declaration"),
            "interface": ("interface_declaration", "annotation_type_declaration"),
            "type": ("enum_declaration",),
            "method": ("method_declaration", "constructor_declaration"),
        },
    ),
    "c": Grammar("tree_sitter_c", _C_NAMED, _C_PATTERNS),
    "cpp": Grammar("tree_sitter_cpp", _C_NAMED, _CPP_PATTERNS),
    "ruby": Grammar(
        "tree_sitter_ruby",
        {"class": ("class",), "module": ("module",), "method": ("method", "singleton_method")},
    ),
    "php": Grammar(
        "tree_sitter_php",
        {
            "class": ("class_declaration", "trait_declaration"),
            "interface": ("interface_declaration",),
            "type": ("enum_declaration",),
            "function": ("function_definition",),
            "method": ("method_declaration",),
        },
        function="language_php",
    ),
    "c_sharp": Grammar(
        "tree_sitter_c_sharp",
        {
            "class": ("class_declaration", "struct_declaration", "record_declaration"),
            "interface": ("interface_declaration",),
            "type": ("enum_declaration",),
            "method": ("method_declaration", "constructor_declaration"),
            "property": ("property_declaration",),
        },
    ),
    "bash": Grammar("tree_sitter_bash", {"function": ("function_definition",)}),
}
