"""Python code: the commands it runs and the files it opens, followed through names and constants.

Loaded only when a call holds Python code that could run something.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from dmm.rules.commands.inlineruns import PLACEHOLDER, InlineRun
from dmm.rules.commands.pyruns import handed_runs, runs_of_call, runs_of_path
from dmm.rules.commands.pyvalues import (
    UNKNOWN,
    FileText,
    Function,
    Made,
    PathText,
    Ref,
    as_text,
    attribute,
    call,
    get_attribute,
    is_known,
    method,
    operate,
    subscript,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Scope = dict[str, object]

_MAX_STEPS = 6_000
_MAX_CALLS = 5
_MAX_ROUNDS = 50
MAX_RUNS = 50
_PLAIN_NAMES = {"Path": "pathlib.Path"}


class _TooLong(Exception):
    """The code takes more steps than are followed."""


class _Walk:
    """Walks through code in order and keeps the values of its names."""

    def __init__(self) -> None:
        self.found: list[InlineRun] = []
        self._steps = 0
        self._depth = 0
        self._line = 0
        self._quiet = False
        self._called: set[ast.AST] = set()
        self._defined: list[Function] = []

    def block(self, body: Iterable[ast.stmt], scope: Scope) -> object:
        """Follow statements and return their return value."""
        result: object = None
        for statement in body:
            made = self._statement(statement, scope)
            result = made if made is not None else result
        return result

    def uncalled(self) -> None:
        """Follow functions that are never called here, with unknown arguments."""
        self._quiet = True
        for function in self._defined:
            if function.node not in self._called:
                self._apply(function, [])

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _TooLong

    def _statement(self, node: ast.stmt, scope: Scope) -> object:
        self._step()
        self._line = node.lineno
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.Assign():
                value = self.fold(node.value, scope)
                for target in node.targets:
                    self._bind(target, value, scope)
            case ast.AnnAssign() if node.value:
                self._bind(node.target, self.fold(node.value, scope), scope)
            case ast.AugAssign():
                old = self.fold(node.target, scope)
                new = operate(node.op, old, self.fold(node.value, scope))
                self._bind(node.target, new, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope[node.name] = Function(node, scope)
                self._defined.append(Function(node, scope))
            case ast.Return() if node.value:
                return self.fold(node.value, scope)
            case ast.Expr():
                self.fold(node.value, scope)
            case _:
                return self._compound(node, scope)
        return None

    def _compound(self, node: ast.stmt, scope: Scope) -> object:
        match node:
            case ast.For() | ast.AsyncFor():
                return self._loop(node, scope)
            case ast.If() | ast.While():
                self.fold(node.test, scope)
                return self.block([*node.body, *node.orelse], scope)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self.fold(item.context_expr, scope)
                    if item.optional_vars:
                        self._bind(item.optional_vars, value, scope)
                return self.block(node.body, scope)
            case ast.Try():
                handled = [one for handler in node.handlers for one in handler.body]
                return self.block([*node.body, *handled, *node.orelse, *node.finalbody], scope)
            case ast.ClassDef():
                inner = dict(scope)
                self.block(node.body, inner)
                scope[node.name] = Made(inner)
            case _:
                for child in _inner(node):
                    self.fold(child, scope)
        return None

    def _loop(self, node: ast.For | ast.AsyncFor, scope: Scope) -> object:
        values = self.fold(node.iter, scope)
        listed = list(values) if isinstance(values, (list, tuple, str)) else [UNKNOWN]
        result: object = None
        for value in listed[:_MAX_ROUNDS]:
            self._bind(node.target, value, scope)
            result = self.block(node.body, scope) or result
        return result or self.block(node.orelse, scope)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                scope[alias.asname or alias.name] = Ref(f"{node.module or ''}.{alias.name}")
                if alias.name == "*":
                    scope["*"] = Ref(node.module or "")
            elif alias.asname:
                scope[alias.asname] = Ref(alias.name)
            else:
                first = alias.name.partition(".")[0]
                scope[first] = Ref(first)

    def _bind(self, target: ast.expr, value: object, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value if isinstance(value, (list, tuple)) else []
            for number, one in enumerate(target.elts):
                self._bind(one, parts[number] if number < len(parts) else UNKNOWN, scope)

    def fold(self, node: ast.expr, scope: Scope) -> object:
        """Evaluate an expression as far as it is constant, and record what it runs."""
        self._step()
        work = _EXPRESSIONS.get(type(node))
        if work is not None:
            return work(self, node, scope)
        values = [self.fold(one, scope) for one in _inner(node)]
        # Of `a or b` and `a if c else b` one is taken; the last is as good as any.
        return values[-1] if isinstance(node, (ast.IfExp, ast.BoolOp)) else UNKNOWN

    def negative_value(self, node: ast.UnaryOp, scope: Scope) -> object:
        """Fold a negative number."""
        value = self.fold(node.operand, scope)
        number = isinstance(node.op, ast.USub) and isinstance(value, (int, float))
        return -value if number else UNKNOWN  # type: ignore[operator]  # a number, as just asked

    def walrus_value(self, node: ast.NamedExpr, scope: Scope) -> object:
        """Fold an assignment inside an expression."""
        value = self.fold(node.value, scope)
        self._bind(node.target, value, scope)
        return value

    def dict_value(self, node: ast.Dict, scope: Scope) -> object:
        """Fold a dictionary."""
        keys = [self.fold(one, scope) if one else None for one in node.keys]
        values = [self.fold(one, scope) for one in node.values]
        pairs = zip(keys, values, strict=True)
        return {key: value for key, value in pairs if isinstance(key, (str, int))}

    @staticmethod
    def name(name: str, scope: Scope) -> object:
        """Return the value of a name, or a reference to the name itself."""
        if name in scope:
            return scope[name]
        everything = scope.get("*")
        if isinstance(everything, Ref) and name[:1].islower():
            return Ref(f"{everything.name}.{name}")
        return Ref(_PLAIN_NAMES.get(name, name))

    def elements(self, nodes: Sequence[ast.expr], scope: Scope) -> list[object]:
        """Fold the elements of a list, starred ones opened."""
        found: list[object] = []
        for node in nodes:
            value = self.fold(node, scope)
            if isinstance(node, ast.Starred) and isinstance(value, (list, tuple)):
                found += value
            else:
                found.append(value)
        return found

    def index(self, node: ast.expr, scope: Scope) -> object:
        """Fold the place of an element, or the ends of a slice."""
        if not isinstance(node, ast.Slice):
            return self.fold(node, scope)
        ends = [
            self.fold(one, scope) if one else None for one in (node.lower, node.upper, node.step)
        ]
        return slice(*ends) if all(one is None or isinstance(one, int) for one in ends) else UNKNOWN

    def comprehension_value(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope
    ) -> object:
        """Fold a comprehension over constants."""
        generator = node.generators[0]
        values = self.fold(generator.iter, scope)
        values = list(values) if isinstance(values, (bytes, bytearray)) else values
        if len(node.generators) > 1 or not isinstance(values, (list, tuple, str)):
            values = [UNKNOWN]
        inner = dict(scope)
        found: list[object] = []
        for value in values[:500]:
            self._bind(generator.target, value, inner)
            found.append(self.fold(node.elt, inner))
        return UNKNOWN if values == [UNKNOWN] else found

    def call_value(self, node: ast.Call, scope: Scope) -> object:
        """Fold a call, and note what it runs."""
        arguments = self.elements(node.args, scope)
        named = {one.arg: self.fold(one.value, scope) for one in node.keywords}
        if isinstance(node.func, ast.Attribute):
            base = self.fold(node.func.value, scope)
            if not isinstance(base, Ref):
                return self._method(base, node.func.attr, arguments)
            function: object = attribute(base, node.func.attr)
        else:
            function = self.fold(node.func, scope)
        if isinstance(function, Function):
            return self._apply(function, arguments, named)
        if isinstance(function, Made):
            self._method(function, "__init__", arguments)
            return function
        if not isinstance(function, Ref):
            return UNKNOWN
        name = function.name.removeprefix("builtins.").removeprefix("__builtins__.")
        if name == "getattr":
            return get_attribute(arguments)
        if name in ("exec", "eval"):
            self._nested(arguments[0] if arguments else UNKNOWN)
        for run in runs_of_call(name, arguments, named) or handed_runs(name, arguments, named):
            self._keep(run)
        return call(name, arguments)

    def _method(self, base: object, name: str, arguments: Sequence[object]) -> object:
        if isinstance(base, Made):
            function = base.scope.get(name)
            own = isinstance(function, Function)
            return self._apply(function, [base, *arguments]) if own else UNKNOWN  # type: ignore[arg-type]
        if isinstance(base, PathText) and is_known(base):
            for run in runs_of_path(base, name, arguments):
                self._keep(run)
            if name == "joinpath":
                return PathText("/".join([base, *map(as_text, arguments)]))
            if name in ("resolve", "absolute", "expanduser"):
                return base
        return method(base, name, arguments)

    def _apply(
        self,
        function: Function,
        arguments: Sequence[object],
        named: dict[str | None, object] | None = None,
    ) -> object:
        """Follow a call into a function of the code itself."""
        node = function.node
        self._called.add(node)
        if self._depth >= _MAX_CALLS:
            return UNKNOWN
        scope = dict(function.scope)
        listed = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        scope.update(dict.fromkeys([*listed, *(one.arg for one in node.args.kwonlyargs)], UNKNOWN))
        for name, default in zip(reversed(listed), reversed(node.args.defaults), strict=False):
            scope[name] = self.fold(default, function.scope)
        scope.update(zip(listed, arguments, strict=False))
        scope.update({name: value for name, value in (named or {}).items() if name})
        if node.args.vararg:
            scope[node.args.vararg.arg] = list(arguments[len(listed) :])
        self._depth += 1
        try:
            if isinstance(node, ast.Lambda):
                return self.fold(node.body, scope)
            return self.block(node.body, scope)
        finally:
            self._depth -= 1

    def _keep(self, run: InlineRun) -> None:
        unknown = run.made or run.text == PLACEHOLDER or run.argv[:1] == (PLACEHOLDER,)
        if len(self.found) < MAX_RUNS and not (self._quiet and unknown):
            self.found.append(run._replace(line=self._line))

    def _nested(self, code: object) -> None:
        if isinstance(code, FileText):
            self._keep(InlineRun(script=code.path))
        elif isinstance(code, (str, bytes)) and is_known(code):
            self.found += python_runs(as_text(code))[: MAX_RUNS - len(self.found)]
        elif not isinstance(code, Function):
            self._keep(InlineRun(made="Python"))


def _inner(node: ast.AST) -> list[ast.expr]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


_EXPRESSIONS: dict[type[ast.expr], Callable[[_Walk, Any, Scope], object]] = {
    ast.Constant: lambda _, node, __: node.value,
    ast.Name: lambda walk, node, scope: walk.name(node.id, scope),
    ast.Attribute: lambda walk, node, scope: attribute(walk.fold(node.value, scope), node.attr),
    ast.BinOp: lambda walk, node, scope: operate(
        node.op, walk.fold(node.left, scope), walk.fold(node.right, scope)
    ),
    ast.JoinedStr: lambda walk, node, scope: "".join(
        as_text(walk.fold(one, scope)) for one in node.values
    ),
    **dict.fromkeys(
        (ast.FormattedValue, ast.Await, ast.Starred),
        lambda walk, node, scope: walk.fold(node.value, scope),
    ),
    **dict.fromkeys(
        (ast.List, ast.Tuple, ast.Set), lambda walk, node, scope: walk.elements(node.elts, scope)
    ),
    ast.Call: _Walk.call_value,
    ast.Subscript: lambda walk, node, scope: subscript(
        walk.fold(node.value, scope), walk.index(node.slice, scope)
    ),
    ast.NamedExpr: _Walk.walrus_value,
    ast.UnaryOp: _Walk.negative_value,
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp, ast.SetComp), _Walk.comprehension_value),
    ast.Dict: _Walk.dict_value,
    ast.Lambda: lambda _, node, scope: Function(node, scope),
}


def python_runs(code: str) -> list[InlineRun]:
    """List what Python code runs, opens and moves; raises where the code can't be parsed."""
    walk = _Walk()
    try:
        walk.block(ast.parse(code).body, {})
        walk.uncalled()
    except (_TooLong, RecursionError, MemoryError):
        return [*walk.found, InlineRun(made="Python")]
    return walk.found
