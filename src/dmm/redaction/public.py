"""Values that look random but are public, by their format.

Digests of contents, public keys, certificates and images are known by how they are built: what
only claims to be one is not taken for it.
"""

from __future__ import annotations

from dmm.redaction.encoded import decode, runs_in
from dmm.redaction.patterns import later, match_at
from dmm.redaction.randomness import is_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer

    Place = tuple[int, int]

# The name of a digest, as lock files, manifests and headers write it, and the digest.
_DIGEST = (
    r"(?i)(?<![A-Za-z0-9])(?:sha-?(1|224|256|384|512)|h(1))(?:-digest|[\"'])?"
    r"(?:[-/]|\s{0,2}=?[:=]\s{0,2})[\"']?([A-Za-z0-9+/_-]{27,86})(={0,2})(?![\w+/=-])"
)
_SIZES = {"1": 20, "224": 28, "256": 32, "384": 48, "512": 64}
_FORMS = (
    # The address of a content in IPFS.
    (r"(?<![A-Za-z0-9])Qm[1-9A-HJ-NP-Za-km-z]{44}(?![A-Za-z0-9])", ("Qm",)),
    # A value that is encrypted in place, to be kept with the code.
    (r"ENC\[[A-Z0-9_]{3,20},[^\[\]\n]{1,4096}\]", ("ENC[",)),
    # What its name tells to be public.
    (r"(?i)pub(?:lic)?[_ -]?keys?[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9+/_-]{40,}={0,2})",
     ("pub", "Pub", "PUB")),
)  # fmt: skip
# The numbers of a key in JSON that everybody may know.
_JWK = r"[\"'](?:n|x|y|kid|x5t(?:#S256)?)[\"']\s{0,4}:\s{0,4}[\"']([\w-]{16,}=?)[\"']"
_SSH_KIND = r"(?:sk-)?(?:ssh|ecdsa)-[\w.@-]{2,50}"
_SSH_BEFORE = rf"{_SSH_KIND}[ \t]{{1,4}}\Z"
_SSH_COMMENT = r"[ \t]{1,4}([\w.+-]{1,40}@[\w.-]{1,60})"
_BEGIN = r"-{2,5} ?BEGIN ([A-Z0-9 ]{3,40}?) ?-{2,5}"
# A line of a block, behind the signs that diffs, quotes, listings and indents put before it.
_LINE = (
    r"(?:\r?\n|\\r|\\n)+[ \t>+|#*\"',\\-]{0,16}(?:\d{1,6}[:|\t \u2192-]{1,4})?[ \t]{0,16}"
    r"(?:([A-Za-z0-9+/]{1,76})={0,2}|=[A-Za-z0-9+/]{4}|\w{4,12}: [^\n]{0,200}|)"
    r"(?=[\"',;+ \t]{0,8}(?:[\r\n\\]|\Z))[\"',;+ \t]{0,8}"
)
_DATA = r"data:[\w.+/-]{3,60}(?:;[\w=-]{1,40}){0,3};base64,([A-Za-z0-9+/_-]{16,}={0,2})"
# How images, fonts, sounds, films, documents and programs begin.
_BEGINNINGS = (
    b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF", b"\0\0\1\0", b"wOFF",
    b"wOF2", b"OTTO", b"\0\1\0\0\0", b"ID3", b"OggS", b"fLaC", b"\x1a\x45\xdf\xa3", b"%PDF-",
    b"\0asm",
)  # fmt: skip
_SURE_BEGINNING = 6
_HEAD = 64
_PGP_PRIVATE = frozenset({5, 7})
_SEQUENCE, _BITS, _NUMBER, _OBJECT, _VERSION = 0x30, 0x03, 0x02, 0x06, 0xA0


def digests_in(layer: Layer) -> Iterator[Place]:
    """Find digests with the length that their name requires."""
    for found in later(_DIGEST).finditer(layer.text):
        size = _SIZES[found[1] or "256"]
        if len(found[3]) == -(-size * 8 // 6) and len(found[4]) in (0, -size % 3):
            yield found.span()


def public_in(layer: Layer) -> Iterator[Place]:
    """Find public keys, certificates and files by their structure."""
    text = layer.text
    for source, literals in _FORMS:
        for found in match_at(source, text, literals):
            yield found.span(found.lastindex or 0)
    if "kty" in text:
        for found in later(_JWK).finditer(text):
            yield found.span(1)
    for found in match_at(_DATA, text, ("data:",)):
        if _begins_file(found[1], shortest=3):
            yield found.span(1)
    if "BEGIN " in text:
        yield from _armoured(text)
    yield from _runs(layer)


def _begins_file(run: str, shortest: int) -> bool:
    head = decode(run[:_HEAD]) or b""
    return any(len(one) >= shortest and head.startswith(one) for one in _BEGINNINGS)


def _runs(layer: Layer) -> Iterator[Place]:
    """Find keys, certificates and files in base64 that nothing announces."""
    for start, end, run in runs_in(layer):
        if run.startswith("AAAA"):
            if _is_ssh_key(decode(run) or b""):
                yield _with_comment(layer.text, start, end)
        elif (run.startswith("MI") and _is_certificate(decode(run) or b"")) or _begins_file(
            run, _SURE_BEGINNING
        ):
            yield (start, end)


def _is_ssh_key(data: bytes) -> bool:
    """Return whether these bytes are an SSH public key: each part follows its length."""
    fields = []
    while data:
        size = 4 + int.from_bytes(data[:4])
        if len(data) < size:
            return False
        fields.append(data[4:size])
        data = data[size:]
    kind = fields[0].decode("ascii", "replace") if fields else ""
    return len(fields) > 1 and later(_SSH_KIND).fullmatch(kind) is not None


def _with_comment(text: str, start: int, end: int) -> Place:
    """Include the key type before a key and the comment after it."""
    kind = later(_SSH_BEFORE).search(text, max(0, start - _HEAD), start)
    comment = later(_SSH_COMMENT).match(text, end)
    if comment is not None and not is_random(comment[1]):
        end = comment.end()
    return (start if kind is None else kind.start(), end)


def _armoured(text: str) -> Iterator[Place]:
    """Find PEM blocks whose content matches their first line, without private ones."""
    line = later(_LINE)
    for begin in later(_BEGIN).finditer(text):
        place, code = begin.end(), ""
        while (found := line.match(text, place)) is not None:
            place = found.end()
            code += found[1] or ""
        data = decode(code[: len(code) // 4 * 4])
        if data and _is_public(begin[1], data):
            yield (begin.start(), place)


def _is_public(label: str, data: bytes) -> bool:
    if "PRIVATE" in label:
        return False
    if "PGP" in label:
        kind = data[0] & 0x3F if data[0] & 0x40 else data[0] >> 2 & 0x0F
        return data[0] & 0x80 != 0 and kind not in _PGP_PRIVATE
    if "SSH" in label:
        return data.startswith(b"SSHSIG") or _is_ssh_key(data)
    # A private key begins with a small number, the version of its format.
    inside = _content(data)
    return inside is not None and data[inside : inside + 2] != bytes((_NUMBER, 1))


def _content(data: bytes, place: int = 0) -> int | None:
    """Return where the content of an ASN.1 sequence begins, or None."""
    if len(data) < place + 8 or data[place] != _SEQUENCE:
        return None
    wide = data[place + 1]
    return place + 2 + (wide & 0x7F if wide & 0x80 else 0)


def _end(data: bytes, place: int, content: int) -> int:
    """Return where an ASN.1 sequence ends."""
    size = data[place + 1] if content == place + 2 else int.from_bytes(data[place + 2 : content])
    return content + size


def _is_certificate(data: bytes) -> bool:
    """Return whether these bytes are a certificate or a public key."""
    body = _content(data)
    first = None if body is None else _content(data, body)
    if body is None or first is None or _end(data, 0, body) != len(data):
        return False
    if data[first] in (_VERSION, _NUMBER):
        return True
    behind = _end(data, body, first)
    return data[first] == _OBJECT and data[behind : behind + 1] == bytes((_BITS,))
