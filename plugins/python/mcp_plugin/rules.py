"""What the host refuses of a component, so that it is a mistake of the file that has it: the host refuses everything
that is described together, and by then the version before is gone. How much all of it may be, and which properties of
Unicode there are, the host alone knows."""

import re
import urllib.parse
from typing import Any, Callable, Iterator

Rule = tuple[Callable[[Any], bool], str]  # what is right, and the words for it


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_audience(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(role in ("user", "assistant") for role in value)


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


_TEXT: Rule = (lambda value: isinstance(value, str), "a text")
_FLAG: Rule = (lambda value: isinstance(value, bool), "True or False")
_OBJECT: Rule = (lambda value: isinstance(value, dict), "a dict")
_NUMBER: Rule = (_is_number, "a number")
_SIZE: Rule = (lambda value: _is_number(value) and value >= 0 and value == int(value), "a whole number from 0 on")

_MEMBERS = {"name": _TEXT, "title": _TEXT, "description": _TEXT, "mimeType": _TEXT, "_meta": _OBJECT}
_NAMES: dict[str, Rule] = {
    "tools": (_matches(r"[A-Za-z0-9_.-]{1,128}"), "1 to 128 characters of A-Za-z0-9_.-"),
    "prompts": (
        lambda value: _matches(r"[^\x00-\x1f\x7f-\x9f]+")(value) and len(value.encode()) <= 128,
        "a text of 1 to 128 bytes without control characters",
    ),
}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_OF_TOOLS = {"title": _TEXT, **dict.fromkeys(_HINTS, _FLAG)}
_OF_RESOURCES: dict[str, Rule] = {
    "lastModified": _TEXT,
    "audience": (_is_audience, 'a list of "user" and "assistant"'),
    "priority": (lambda value: _is_number(value) and 0 <= value <= 1, "a number from 0 to 1"),
}
_ANNOTATIONS = {"tools": _OF_TOOLS, "resources": _OF_RESOURCES, "templates": _OF_RESOURCES}


def check(kind: str, described: dict) -> None:
    """Raises ValueError if the host would refuse a component that is described so."""
    _check(described, {**_MEMBERS, **({"name": _NAMES[kind]} if kind in _NAMES else {})})
    if "annotations" in described:
        _check(described, {"annotations": _OBJECT})
        _check(described["annotations"], _ANNOTATIONS[kind], "annotations: ")
    for argument in described.get("arguments", []):
        _check(argument, {"title": _TEXT, "description": _TEXT}, f'"{argument["name"]}": ')
    if kind == "resources":
        _check_uri(described["uri"])
    if kind == "templates":
        _check_template(described["uriTemplate"])
    for member in ("inputSchema", "outputSchema"):
        for schema in _schemas(described.get(member)):
            _check(schema, _KEYWORDS, f"{member}: ")
            for pattern in (schema.get("pattern", ""), *schema.get("patternProperties", {})):
                _check_pattern(pattern)


def _check(members: dict, rules: dict[str, Rule], where: str = "") -> None:
    for name, (is_right, words) in rules.items():
        if name in members and not is_right(members[name]):
            raise ValueError(f"{where}{name} is {words}, not {members[name]!r}")


# URIs ----------------------------------------------------------------------------------------------------------------


def _check_uri(uri: str) -> None:
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:.", uri, re.DOTALL):
        raise ValueError(f'{uri!r}: a URI begins with a scheme, as in "notes://index"')
    _check_characters(uri)


def _check_characters(uri: str) -> None:
    if re.search(r"[\x00-\x1f\x7f]", uri):
        raise ValueError(f"{uri!r}: a URI has no control characters")
    if re.search(r"%(?![0-9A-Fa-f]{2})", uri):
        raise ValueError(f"{uri!r}: a % is followed by two hexadecimal digits: write it as %25")


def key(kind: str, text: str) -> str:
    """By which the host tells apart what is of one kind: a name, or a URI in one form, however it is written."""
    if kind in _NAMES:
        return text
    encoded = urllib.parse.quote(text, safe=":/?#[]@!$&'()*+,;=%", errors="surrogatepass")
    return re.sub("%([0-9A-Fa-f]{2})", _normalized_byte, encoded)


def _normalized_byte(encoded: re.Match) -> str:
    character = chr(int(encoded[1], 16))
    return character if re.match(r"[A-Za-z0-9._~-]", character) else encoded[0].upper()


_NAME = "[A-Za-z0-9_]+"
_EXPRESSION = re.compile(rf"\{{(?:[+#]?{_NAME}|{_NAME}\*|/{_NAME}\*?(?:,{_NAME}\*?)*|\?{_NAME}(?:,{_NAME})*)\}}")


def _check_template(template: str) -> None:
    expressions = _EXPRESSION.findall(template)
    literals = _EXPRESSION.sub("{}", template)
    _check_characters(literals)
    names = re.findall(_NAME, " ".join(expressions))
    for is_wrong, words in [
        (
            "{" in literals.replace("{}", ""),
            "a variable is {name}, {+name}, {#name}, {name*}, {/name,name} or, at the end, {?name,name}",
        ),
        (len(names) != len(set(names)), "a variable stands there twice"),
        (re.search(r"\}\{(?![/?#])", template), "there is no text between two variables"),
        (re.search(r"\{\?[^}]*\}.", template, re.DOTALL), "there is something after the query, which ends a URI"),
        ("?" in literals and "{?" in template, 'there is a "?" before the query'),
    ]:
        if is_wrong:
            raise ValueError(f"{template}: {words}")


# Schemas -------------------------------------------------------------------------------------------------------------

_KEYWORDS: dict[str, Rule] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **{f"{bound}{things}": _SIZE for bound in ("min", "max") for things in ("Length", "Items", "Properties")},
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    "pattern": _TEXT,
}
_BY_NAME = ("properties", "patternProperties", "$defs")
_ONE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
_SEVERAL = ("anyOf", "allOf", "oneOf", "prefixItems")


def _schemas(schema: Any) -> Iterator[dict]:
    """A schema, and those within it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        below = value.values() if keyword in _BY_NAME else value if keyword in _SEVERAL else [value]
        for each in below if keyword in (*_BY_NAME, *_ONE, *_SEVERAL) else ():
            yield from _schemas(each)


# Of ECMA-262, as the host reads it. ASCII alone has letters and digits here. Half of a surrogate pair is no character.
_HEX = r"[\dA-Fa-f]"
_ESCAPE = (
    rf"\\(?:[dDwWsStnvfr]|0(?!\d)|c[A-Za-z]|x{_HEX}{{2}}|u(?![dD][89A-Fa-f]){_HEX}{{4}}"
    rf"|u[dD][89ABab]{_HEX}{{2}}\\u[dD][C-Fc-f]{_HEX}{{2}}"
    rf"|u\{{(?={_HEX}{{1,8}}\}})(?!0*[dD][89A-Fa-f]{_HEX}{{2}}\}})0*(?:10{_HEX}{{4}}|{_HEX}{{0,5}})\}}"
    r"|[pP]\{(?:(?:gc|General_Category|sc|Script|scx|Script_Extensions)=)?\w+\}|[^A-Za-z\d])"
)
_ATOM = rf"(?:{_ESCAPE}|\\b|[^\\\]])"  # of a class
_RANGE = re.compile(rf"({_ATOM})(?:-({_ATOM}))?", re.ASCII | re.DOTALL)
_TERM = re.compile(
    rf"""(?P<repeat>(?:[*+?]|\{{\d+(?:,\d*)?\}})\??)
       | (?P<open>\((?:\?(?:[:=!]|<[=!]|<[^>]+>)|(?!\?)))
       | (?P<close>\))
       | (?P<empty>[|^$]|\\[bB])
       | (?P<reference>\\(?:[1-9]\d*|k<[^>]+>))
       | (?P<class>\[\^?(?:{_ATOM})*\])
       | {_ESCAPE} | [^\\\[(]""",
    re.ASCII | re.DOTALL | re.VERBOSE,
)
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
_MOST_TIMES = 65535


def _check_pattern(pattern: str) -> None:
    mistake = _mistake_of_pattern(pattern)
    if mistake is not None:
        raise ValueError(f"pattern {pattern!r} is no regular expression of JavaScript's: {mistake}")


def _mistake_of_pattern(pattern: str) -> str | None:
    groups: list[str] = []  # their names, or nothing
    references: list[str] = []
    open_groups: list[str] = []  # how they begin
    at, can_be_repeated = 0, False
    while at < len(pattern):
        term = _TERM.match(pattern, at)
        if term is None:
            return f"it has nothing that begins with {pattern[at : at + 3]}"
        kind, text, at = term.lastgroup, term[0], term.end()
        mistake = None
        if kind == "repeat":
            # What is looked for ahead adds no length to what is looked for behind.
            looks = [each for each in open_groups if each in _LOOKS]
            is_behind = bool(looks) and "<" in looks[-1]
            mistake = f"there is nothing to repeat before {text}"
            if can_be_repeated:
                mistake = _mistake_of_repeat(text, is_behind)
        elif kind == "class":
            mistake = _mistake_of_class(text[1:-1])
        elif kind == "reference":
            references.append(text)
        elif kind == "open":
            open_groups.append(text)
            if re.fullmatch(r"\((\?<[^=!].*)?", text, re.DOTALL):
                groups.append(text[3:-1])
        elif kind == "close":
            mistake = None if open_groups else 'a ")" has no "("'
            open_groups = open_groups[:-1]
        if mistake is not None:
            return mistake
        can_be_repeated = kind not in ("repeat", "open", "empty")
    if open_groups:
        return 'a "(" has no ")"'
    if any(each[3:-1] not in groups if each[1] == "k" else int(each[1:]) > len(groups) for each in references):
        return "it refers to a group that it does not have"
    return None


def _mistake_of_repeat(text: str, is_behind: bool) -> str | None:
    if is_behind and (text[0] in "*+" or ",}" in text):
        return f"{text} has no end, as it needs one within (?<= or (?<!"
    times = [int(number) for number in re.findall(r"\d+", text)]
    if times != sorted(times) or any(each > _MOST_TIMES for each in times):
        return f"{text} is not from few to many times, {_MOST_TIMES} at most"
    return None


def _mistake_of_class(within: str) -> str | None:
    for first, last in _RANGE.findall(within.removeprefix("^")):
        begin, end = _code_point(first), _code_point(last)
        if begin is not None and end is not None and begin > end:
            return f"the range {first}-{last} is out of order"
    return None


_CONTROLS = {"0": 0, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


def _code_point(atom: str) -> int | None:
    """Of what a class has; None: it is more than one character, or nothing."""
    if len(atom) < 2:
        return ord(atom) if atom else None
    kind = atom[1]
    if kind in "dDwWsSpP":
        return None
    if kind == "c":
        return ord(atom[2]) % 32
    if kind in "xu":
        first, *second = (int(digits, 16) for digits in re.findall(_HEX + "+", atom[2:]))
        return 0x10000 + (first - 0xD800) * 0x400 + second[0] - 0xDC00 if second else first
    return _CONTROLS.get(kind, ord(kind))
