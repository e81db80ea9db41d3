"""Types and JSON: what schema a type hint has, and how its values are read from JSON and written as JSON."""

import base64
import collections.abc
import copy
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import math
import operator
import pathlib
import re
import types
import typing
import uuid
from typing import Any, Callable

MISSING = inspect.Parameter.empty  # no default


@dataclasses.dataclass(frozen=True, eq=False)  # so that it has a hash, whatever its members are
class Field:
    """What is to be said of a parameter or a member beside its type: `Annotated[int, Field(ge=1, le=10)]`."""

    default: Any = MISSING
    description: str | None = None
    title: str | None = None
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    examples: list | None = None

    def keywords(self, schema: dict) -> dict:
        """The keywords of JSON Schema that say so, for a value that has `schema`."""
        named = {
            "description": self.description,
            "title": self.title,
            "minimum": self.ge,
            "exclusiveMinimum": self.gt,
            "maximum": self.le,
            "exclusiveMaximum": self.lt,
            "multipleOf": self.multiple_of,
            "pattern": self.pattern,
            "format": self.format,
            "examples": self.examples,
        }
        for things in {_length_keywords.get(name, "Length") for name in _type_names(schema)}:
            named |= {f"min{things}": self.min_length, f"max{things}": self.max_length}
        return {keyword: value for keyword, value in named.items() if value is not None}

    def check(self, value: Any) -> None:
        """Raises OutOfBounds if a value of the type is."""
        if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool):
            for bound, is_within, words in self._of_numbers():
                if bound is not None and not is_within(value, bound):
                    raise OutOfBounds(f"must be {words} {_shown(bound)}, not {_shown(value)}")
        if isinstance(value, (str, list, tuple, set, frozenset, dict)):
            things = "characters" if isinstance(value, str) else "members" if isinstance(value, dict) else "items"
            if self.min_length is not None and len(value) < self.min_length:
                raise OutOfBounds(f"must have at least {self.min_length} {things}, not {len(value)}")
            if self.max_length is not None and len(value) > self.max_length:
                raise OutOfBounds(f"must have at most {self.max_length} {things}, not {len(value)}")

    def check_pattern(self, value: Any) -> None:
        """The same for the pattern, in Python's words: of what has a schema, the host has checked it in JavaScript's."""
        if isinstance(value, str) and self.pattern is not None and not re.search(self.pattern, value):
            raise OutOfBounds(f"must match {self.pattern}, not {_shown(value)}")

    def _of_numbers(self) -> list[tuple[float | None, Callable, str]]:
        return [
            (self.ge, operator.ge, "at least"),
            (self.gt, operator.gt, "more than"),
            (self.le, operator.le, "at most"),
            (self.lt, operator.lt, "less than"),
            (self.multiple_of, _is_multiple, "a multiple of"),
        ]


_length_keywords = {"array": "Items", "object": "Properties"}


def _type_names(schema: dict) -> set:
    """Of the values that have a schema made here, but for null."""
    if "anyOf" in schema:
        return set().union(*map(_type_names, schema["anyOf"]))
    return {schema.get("type")} - {"null"}


def _is_multiple(value: float | decimal.Decimal, of: float) -> bool:
    from fractions import Fraction  # here, because few need it

    if isinstance(value, decimal.Decimal) and abs(value.adjusted()) > 1000:
        return False  # whatever it is: a fraction of it would take all memory
    return Fraction(str(value)) % Fraction(str(of)) == 0  # as they are written: 0.3 is a multiple of 0.1


class Misfit(ValueError):
    """A value that its type does not have: where in the value, and what it must be."""

    def __init__(self, words: str, path: str = ""):
        super().__init__(words)
        self.words, self.path = words, path

    def within(self, place: str) -> "Misfit":
        return type(self)(self.words, place + self.path)

    def __str__(self) -> str:
        path = self.path.removeprefix(".")
        return f'"{path}" {self.words}' if path else self.words


class OutOfBounds(Misfit):
    """A value that its type has, and its Field does not allow."""


@dataclasses.dataclass(frozen=True)
class Form:
    """The form that a type has in JSON. `decode` raises Misfit if a value has another."""

    schema: dict
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any]
    notes: tuple[Field, ...] = ()  # what is said of it beside its type


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode_any(value: Any) -> Any:
    """A value of whatever type as JSON, by the form of the type that it has."""
    if value is None or isinstance(value, (bool, int, float, str)) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {key if isinstance(key, str) else str(encode_any(key)): encode_any(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode_any(item) for item in value]
    if type(value) is object:
        raise TypeError("an object() has no form in JSON")
    return form_of(type(value)).encode(value)


def form_of(hint: Any, _outer: tuple = ()) -> Form:
    """The form of a type hint. Raises TypeError, which says what to use instead, if it has none."""
    if hint in (Any, object):
        return Form({}, lambda value: value, encode_any)
    if isinstance(hint, typing.TypeVar):
        return form_of(hint.__bound__ or Any, _outer)
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        return _annotated_form(hint, _outer)
    if origin in (typing.Union, types.UnionType):
        return _union_form(typing.get_args(hint), _outer)
    if origin is typing.Literal:
        return _choice_form(list(typing.get_args(hint)), list(typing.get_args(hint)))
    if origin in (typing.Required, typing.NotRequired):
        return form_of(typing.get_args(hint)[0], _outer)
    if hint in _simple_forms:
        return _simple_forms[hint]
    kind = origin or hint
    if not isinstance(kind, type):
        raise TypeError(f"the type {hint!r} has no form in JSON")
    if issubclass(kind, enum.Enum):
        return _choice_form([encode_any(member.value) for member in kind], list(kind))
    return _class_form(hint, kind, typing.get_args(hint), _outer)


def _class_form(hint: Any, kind: type, arguments: tuple, outer: tuple) -> Form:
    if hasattr(kind, "model_json_schema"):
        return _model_form(kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass_form(kind, outer)
    if typing.is_typeddict(kind):
        return _typed_dict_form(kind, outer)
    if issubclass(kind, tuple) and arguments and arguments[-1] is not Ellipsis:
        return _tuple_form(arguments, outer)
    if issubclass(kind, collections.abc.Mapping):
        return _mapping_form(arguments, outer)
    if issubclass(kind, pathlib.PurePath):
        return Form({"type": "string", "format": "path"}, lambda value: kind(_text(value)), str)
    if issubclass(kind, collections.abc.Iterable) and not issubclass(kind, (str, bytes)):
        return _array_form(kind, arguments[0] if arguments else Any, outer)
    raise TypeError(
        f"the type {getattr(hint, '__name__', hint)} has no form in JSON: use numbers, texts, bool, Literal, Enum, "
        "lists, dicts, dates, a TypedDict or a dataclass"
    )


# Numbers, texts and what is written as a text ------------------------------------------------------------------------


def _shown(value: Any) -> str:
    try:
        text = json.dumps(encode_any(value), ensure_ascii=False, separators=(",", ":"))  # also what is not finite
    except RecursionError:  # of what is within a text the host knows no bounds
        return "what is nested too deeply to be shown"
    return text if len(text) <= 80 else text[:77] + "..."


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Misfit(f"must be a text, not {_shown(value)}")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Misfit(f"must be true or false, not {_shown(value)}")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) and not (isinstance(value, float) and value.is_integer()):
        raise Misfit(f"must be an integer, not {_shown(value)}")
    # Beyond 2^53 a float may stand for another integer than the one that was written.
    if isinstance(value, float) and abs(value) > 2**53:
        raise Misfit(f"must be written without fraction and exponent where it is beyond 2^53, not {_shown(value)}")
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Misfit(f"must be a number, not {_shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Misfit(f"must be a number within bounds, not {_shown(value)}")
    return number


def _none(value: Any) -> None:
    if value is not None:
        raise Misfit(f"must be null, not {_shown(value)}")


def _bytes(value: Any) -> bytes:
    text = _text(value)
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Misfit(f"must be base64: {error}") from None


def _decimal(text: str) -> decimal.Decimal:
    number = decimal.Decimal(text)
    if not number.is_finite():
        raise ValueError(text)
    return number


def _written_as_text(schema: dict, read: Callable[[str], Any], what: str, write: Callable[[Any], str]) -> Form:
    def decode(value: Any) -> Any:
        try:
            return read(_text(value))
        except (ValueError, decimal.InvalidOperation):
            raise Misfit(f"must be {what}, not {_shown(value)}") from None

    return Form({"type": "string", **schema}, decode, write)


_date, _time, _datetime = datetime.date, datetime.time, datetime.datetime
_simple_forms: dict[Any, Form] = {
    bool: Form({"type": "boolean"}, _bool, bool),
    int: Form({"type": "integer"}, _integer, operator.index),
    float: Form({"type": "number"}, _number, float),
    str: Form({"type": "string"}, _text, _text),
    type(None): Form({"type": "null"}, _none, lambda value: None),
    None: Form({"type": "null"}, _none, lambda value: None),
    bytes: Form(
        {"type": "string", "contentEncoding": "base64"}, _bytes, lambda value: base64.b64encode(value).decode()
    ),
    _date: _written_as_text({"format": "date"}, _date.fromisoformat, "a date such as 2026-11-24", _date.isoformat),
    _time: _written_as_text({"format": "time"}, _time.fromisoformat, "a time such as 09:30:00", _time.isoformat),
    _datetime: _written_as_text(
        {"format": "date-time"},
        _datetime.fromisoformat,
        "a moment such as 2026-11-24T09:30:00+00:00",
        _datetime.isoformat,
    ),
    uuid.UUID: _written_as_text({"format": "uuid"}, uuid.UUID, "a UUID", str),
    decimal.Decimal: _written_as_text({}, _decimal, "a decimal number", str),
}


# What is made of other types -----------------------------------------------------------------------------------------


def _annotated_form(hint: Any, outer: tuple) -> Form:
    form = form_of(hint.__origin__, outer)
    schema = dict(form.schema)
    notes = [Field(description=note) if isinstance(note, str) else note for note in hint.__metadata__]
    fields = tuple(note for note in notes if isinstance(note, Field))
    for field in fields:
        schema.update(field.keywords(schema))

    # The host checks the schema; this is for what the schema cannot say, such as the bounds of a number that is a text.
    def decode(value: Any) -> Any:
        decoded = form.decode(value)
        for field in fields:
            field.check(decoded)
        return decoded

    return dataclasses.replace(form, schema=schema, decode=decode, notes=form.notes + fields)


def _type_name(value: Any) -> str | None:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}  # bool first, because it is an int
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), None)


def _choice_form(names: list, members: list) -> Form:
    # A number and a bool that are equal in Python are different in JSON.
    def is_same(name: Any, value: Any) -> bool:
        return isinstance(name, bool) == isinstance(value, bool) and name == value

    def decode(value: Any) -> Any:
        for name, member in zip(names, members):
            if is_same(name, value):
                return member
        raise Misfit(f"must be one of {', '.join(map(_shown, names))}, not {_shown(value)}")

    schema: dict = {"enum": names}
    type_names = {_type_name(name) for name in names}
    if len(type_names) == 1 and None not in type_names:
        schema = {"type": type_names.pop(), "enum": names}
    return Form(schema, decode, lambda member: names[members.index(member)])


def _union_form(hints: tuple, outer: tuple) -> Form:
    forms = [form_of(hint, outer) for hint in hints]

    def decode(value: Any) -> Any:
        reasons = []
        for form in forms:
            try:
                return form.decode(value)
            except Misfit as error:
                reasons.append(error)
        for reason in reasons:
            if isinstance(reason, OutOfBounds):  # of the type that was meant
                raise reason
        raise Misfit(", or ".join(map(str, reasons)))

    not_null = [form for form in forms if form.schema != {"type": "null"}]
    notes = not_null[0].notes if len(not_null) == 1 else ()
    return Form({"anyOf": [form.schema for form in forms]}, decode, encode_any, notes)


def _can_be_in_a_set(hint: Any) -> bool:
    """Whether values of the type have a hash, as far as the type says so."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _can_be_in_a_set(arguments[0])
    kind = origin or hint
    if origin in (typing.Union, types.UnionType) or isinstance(kind, type) and issubclass(kind, tuple):
        return all(_can_be_in_a_set(each) for each in arguments)
    if not isinstance(kind, type):
        return True
    # Whatever else has items becomes a list, a dict or a set.
    is_whole = dataclasses.is_dataclass(kind) or hasattr(kind, "model_json_schema")
    if not is_whole and not issubclass(kind, (str, bytes, frozenset)) and issubclass(kind, collections.abc.Iterable):
        return False
    return kind.__hash__ is not None and not typing.is_typeddict(kind)


def _array_form(kind: type, item_hint: Any, outer: tuple) -> Form:
    item = form_of(item_hint, outer)
    schema: dict = {"type": "array", "items": item.schema}
    make: type = tuple if issubclass(kind, tuple) else list
    if issubclass(kind, collections.abc.Set):
        if not _can_be_in_a_set(item_hint):
            name = item_hint.__name__ if isinstance(item_hint, type) else item_hint
            raise TypeError(f"a set cannot hold {name}: take a list in place of the set, or items that never change")
        make = frozenset if issubclass(kind, frozenset) else set
        schema["uniqueItems"] = True

    def decode(value: Any) -> Any:
        if not isinstance(value, list):
            raise Misfit(f"must be an array, not {_shown(value)}")
        items = [_decoded(item, f"[{i}]", each) for i, each in enumerate(value)]
        try:
            return make(items)
        except TypeError:
            raise Misfit(f"must be an array without arrays and objects, not {_shown(value)}") from None

    return Form(schema, decode, lambda value: [item.encode(each) for each in value])


def _tuple_form(hints: tuple, outer: tuple) -> Form:
    forms = [form_of(hint, outer) for hint in hints]
    schema = {"type": "array", "prefixItems": [form.schema for form in forms], "items": False, "minItems": len(forms)}

    def decode(value: Any) -> tuple:
        if not isinstance(value, list) or len(value) != len(forms):
            raise Misfit(f"must be an array of {len(forms)}, not {_shown(value)}")
        return tuple(_decoded(form, f"[{i}]", each) for i, (form, each) in enumerate(zip(forms, value)))

    return Form(schema, decode, lambda value: [form.encode(each) for form, each in zip(forms, value)])


def _mapping_form(arguments: tuple, outer: tuple) -> Form:
    key, item = (form_of(hint, outer) for hint in (arguments or (str, Any)))
    schema: dict = {"type": "object"}
    if item.schema:
        schema["additionalProperties"] = item.schema

    def decode(value: Any) -> dict:
        if not isinstance(value, dict):
            raise Misfit(f"must be an object, not {_shown(value)}")
        return {_from_text(key, name): _decoded(item, f".{name}", each) for name, each in value.items()}

    def encode(value: collections.abc.Mapping) -> dict:
        return {str(key.encode(name)): item.encode(each) for name, each in value.items()}

    return Form(schema, decode, encode)


# Objects with members ------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Member:
    name: str
    form: Form
    default: Any = MISSING
    is_required: bool = True
    is_filled_in: bool = False  # its default is that of a Field, which Python does not know

    def schema(self) -> dict:
        """With the default, if it has a form in JSON; if it has none, only Python knows it."""
        if self.default is MISSING:
            return self.form.schema
        try:
            default = encode_any(self.default)
            json_text(default)
        except (TypeError, ValueError):
            return self.form.schema
        return {**self.form.schema, "default": default}


def member_of(name: str, hint: Any, default: Any, outer: tuple = (), is_required: bool | None = None) -> Member:
    """Of a parameter or a member. The default may be a Field, as in `count: int = Field(3, ge=1)`."""
    notes = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Field)]
    if isinstance(default, Field):
        hint, notes, default = typing.Annotated[hint, default], [*notes, default], MISSING
    is_filled_in = default is MISSING and any(note.default is not MISSING for note in notes)
    for note in notes:
        default = note.default if default is MISSING else default
    try:
        form = form_of(hint, outer)
    except TypeError as error:
        raise TypeError(f'"{name}": {error}') from None
    return Member(name, form, default, default is MISSING if is_required is None else is_required, is_filled_in)


def object_schema(members: list[Member]) -> dict:
    schema: dict = {"type": "object", "properties": {member.name: member.schema() for member in members}}
    required = [member.name for member in members if member.is_required]
    if required:
        schema["required"] = required
    return schema


def decode_members(members: list[Member], value: Any) -> dict:
    """The values that are there, by the names of their members."""
    if not isinstance(value, dict):
        raise Misfit(f"must be an object, not {_shown(value)}")
    return _values(members, value, lambda member, given: member.form.decode(given))


def _values(members: list[Member], given: dict, decode: Callable[[Member, Any], Any]) -> dict:
    values = {}
    for member in members:
        if member.name in given:
            try:
                values[member.name] = decode(member, given[member.name])
            except Misfit as error:
                raise error.within(f".{member.name}") from None
        elif member.is_required:
            raise Misfit("is missing", f".{member.name}")
        elif member.is_filled_in:
            values[member.name] = _copy(member.default)
    return values


def _copy(default: Any) -> Any:
    """Of what a call could change. Others stay the same, because a function may ask for the very object."""
    return copy.deepcopy(default) if isinstance(default, (list, dict, set)) else default


def _decoded(form: Form, place: str, value: Any) -> Any:
    try:
        return form.decode(value)
    except Misfit as error:
        raise error.within(place) from None


def _entered(kind: type, outer: tuple) -> tuple:
    if kind in outer:
        raise TypeError(f"{kind.__name__} contains itself, which a schema made here cannot say: take a dict for it")
    return (*outer, kind)


def _dataclass_form(kind: type, outer: tuple) -> Form:
    outer = _entered(kind, outer)
    hints = typing.get_type_hints(kind, include_extras=True)
    members = []
    for field in dataclasses.fields(kind):
        default = MISSING if field.default is dataclasses.MISSING else field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        is_required = None if field.init else False
        members.append(member_of(field.name, hints[field.name], default, outer, is_required))

    def encode(value: Any) -> dict:
        encoded = {member.name: member.form.encode(getattr(value, member.name)) for member in members}
        # What is left out where it may be: a member that is None by default.
        return {
            member.name: encoded[member.name]
            for member in members
            if not (encoded[member.name] is None and member.default is None)
        }

    taken = [member for member, field in zip(members, dataclasses.fields(kind)) if field.init]

    def decode(value: Any) -> Any:
        return kind(**decode_members(taken, value))

    return Form(object_schema(members), decode, encode)


def _typed_dict_form(kind: type, outer: tuple) -> Form:
    outer = _entered(kind, outer)
    hints = typing.get_type_hints(kind, include_extras=True)
    required = kind.__required_keys__  # type: ignore[attr-defined]
    members = [member_of(name, hint, MISSING, outer, name in required) for name, hint in hints.items()]

    def encode(value: dict) -> dict:
        forms = {member.name: member.form for member in members}
        return {name: forms[name].encode(each) if name in forms else encode_any(each) for name, each in value.items()}

    return Form(object_schema(members), lambda value: decode_members(members, value), encode)


def _model_form(kind: Any) -> Form:
    """Of a model of Pydantic, where the author has that: it is not needed here."""

    def decode(value: Any) -> Any:
        try:
            return kind.model_validate(value)
        except ValueError as error:
            raise Misfit(f"does not fit: {error}") from None

    schema = kind.model_json_schema()
    definitions = schema.pop("$defs", {})
    return Form(
        _with_definitions(schema, definitions, kind, ()),
        decode,
        lambda value: value.model_dump(mode="json", by_alias=True),
    )


def _with_definitions(schema: Any, definitions: dict, kind: type, outer: tuple) -> Any:
    """With each definition where a reference leads to it, because a reference is of the whole schema of a tool."""
    if isinstance(schema, list):
        return [_with_definitions(each, definitions, kind, outer) for each in schema]
    if not isinstance(schema, dict):
        return schema
    name = schema.get("$ref", "").removeprefix("#/$defs/")
    if name in outer:
        raise TypeError(f"{kind.__name__} contains itself, which a schema made here cannot say: take a dict for it")
    if name:
        schema = {**definitions[name], **{key: value for key, value in schema.items() if key != "$ref"}}
        outer = (*outer, name)
    return {key: _with_definitions(value, definitions, kind, outer) for key, value in schema.items()}


# Values that come as texts: prompts' arguments and templates' variables ----------------------------------------------


def _from_text(form: Form, text: str) -> Any:
    try:
        return form.decode(text)
    except OutOfBounds:
        raise
    except Misfit as as_text:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise as_text from None
        # A whole number has one spelling, so that what a rule says of one URI is not passed by another one.
        is_other_spelling = text != text.strip() or (isinstance(value, int) and json_text(value) != text)
        if isinstance(value, str) or is_other_spelling:
            raise as_text from None
        decoded = form.decode(value)
        if isinstance(value, float) and value.is_integer() and not isinstance(form.encode(decoded), float):
            raise as_text from None
        return decoded


def decode_texts(members: list[Member], texts: dict[str, str]) -> dict:
    """The host knows no schema of them, so patterns are checked here, too."""

    def decode(member: Member, text: str) -> Any:
        value = _from_text(member.form, text)
        for note in member.form.notes:
            note.check_pattern(value)
        return value

    return _values(members, texts, decode)
