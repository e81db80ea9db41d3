"""Types and their forms in JSON."""

import dataclasses
import datetime
import decimal
import enum
import itertools
import math
import pathlib
import threading
import unittest
import uuid
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

from mcp_plugin import Field
from mcp_plugin.forms import MISSING, Misfit, decode_members, decode_texts, form_of, member_of


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: Annotated[int, Field(ge=0, description="Upwards")] = 0
    tags: list[str] = dataclasses.field(default_factory=list)


class Place(TypedDict):
    name: str
    point: NotRequired[Point]


@dataclasses.dataclass
class Tree:
    left: Optional["Tree"] = None


SCHEMAS: list[tuple[Any, dict]] = [
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (str, {"type": "string"}),
    (Any, {}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, "b"], {"enum": [1, "b"]}),
    (Literal[1, True], {"enum": [1, True]}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (Literal[True], {"type": "boolean", "enum": [True]}),
    (Color, {"type": "string", "enum": ["red", "blue"]}),
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (list, {"type": "array", "items": {}}),
    (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (
        tuple[int, str],
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False, "minItems": 2},
    ),
    (dict, {"type": "object"}),
    (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (pathlib.Path, {"type": "string", "format": "path"}),
    (Annotated[int, Field(ge=1, lt=9)], {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}),
    (Annotated[str, Field(min_length=1, pattern="^a")], {"type": "string", "minLength": 1, "pattern": "^a"}),
    (Annotated[list[int], Field(max_length=3)], {"type": "array", "items": {"type": "integer"}, "maxItems": 3}),
    (Annotated[int, "How many"], {"type": "integer", "description": "How many"}),
    (
        list[Annotated[str, Field(examples=["a"])]],
        {"type": "array", "items": {"type": "string", "examples": ["a"]}},
    ),
    (
        Place,
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "point": {
                    "type": "object",
                    "properties": {
                        "x": {"type": "integer"},
                        "y": {"type": "integer", "minimum": 0, "description": "Upwards", "default": 0},
                        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
                    },
                    "required": ["x"],
                },
            },
            "required": ["name"],
        },
    ),
]

VALUES: list[tuple[Any, Any, Any]] = [
    (int, 5, 5),
    (int, 5.0, 5),
    (int, -(2.0**53), -(2**53)),
    (int, 12345678901234567, 12345678901234567),
    (int | float, 1e23, 1e23),
    (float, 5, 5.0),
    (bytes, "aGk=", b"hi"),
    (Color, "blue", Color.BLUE),
    (Literal[1, True], True, True),
    (list[Color], ["red"], [Color.RED]),
    (set[int], [1, 2], {1, 2}),
    (tuple[int, str], [1, "a"], (1, "a")),
    (dict[str, Color], {"a": "red"}, {"a": Color.RED}),
    (dict[int, str], {"7": "a"}, {7: "a"}),
    (datetime.date, "2026-11-24", datetime.date(2026, 11, 24)),
    (uuid.UUID, "12345678-1234-5678-1234-567812345678", uuid.UUID(int=0x12345678123456781234567812345678)),
    (pathlib.Path, "/srv", pathlib.Path("/srv")),
    (Place, {"name": "here", "point": {"x": 1, "y": 0, "tags": []}}, {"name": "here", "point": Point(1)}),
    (int | str, "a", "a"),
    (Point | None, None, None),
    (bytes | str, "é", "é"),
    (set[tuple[int, ...]], [[1, 2], [3]], {(1, 2), (3,)}),
    (set[Annotated[Color, "One"] | None], ["red", None], {Color.RED, None}),
    (frozenset[frozenset[int]], [[1]], frozenset({frozenset({1})})),
]

# A type, and what is said of it; a text of a value that is within the bounds, one that is not, and why.
BOUNDS: list[tuple[Any, Field, str, str, str]] = [
    (int, Field(ge=1), "1", "0", "must be at least 1, not 0"),
    (int, Field(le=7), "7", "99", "must be at most 7, not 99"),
    (float, Field(gt=0), "0.1", "0", "must be more than 0, not 0.0"),
    (float, Field(lt=1), "0.9", "1", "must be less than 1, not 1.0"),
    (float, Field(multiple_of=0.1), "0.3", "0.35", "must be a multiple of 0.1, not 0.35"),
    (str, Field(min_length=2), "ab", "a", "must have at least 2 characters, not 1"),
    (str, Field(max_length=2), "ab", "abc", "must have at most 2 characters, not 3"),
    (str, Field(pattern="^a+$"), "aa", "ab", 'must match ^a+$, not "ab"'),
    (list[int], Field(max_length=1), "[9]", "[1, 2]", "must have at most 1 items, not 2"),
    (int | None, Field(le=7), "null", "8", "must be at most 7, not 8"),
    (Annotated[int, Field(ge=1)] | None, Field(le=7), "1", "0", "must be at least 1, not 0"),
]

MISFITS: list[tuple[Any, Any, str]] = [
    (int, "5", 'must be an integer, not "5"'),
    (int, True, "must be an integer, not true"),
    (int, 1.5, "must be an integer, not 1.5"),
    (int, 2.0**53 + 2, "must be written without fraction and exponent where it is beyond 2^53, not 9007199254740994.0"),
    (int, -1e23, "must be written without fraction and exponent where it is beyond 2^53, not -1e+23"),
    (float, "x", 'must be a number, not "x"'),
    (bool, 1, "must be true or false, not 1"),
    (Literal[1], True, "must be one of 1, not true"),
    (Color, "green", 'must be one of "red", "blue", not "green"'),
    (datetime.date, "2026-31-12", 'must be a date such as 2026-11-24, not "2026-31-12"'),
    (bytes, "?", "must be base64: "),
    (bytes, "é", "must be base64: "),
    (bytes, 1, "must be a text, not 1"),
    (set, [[1]], "must be an array without arrays and objects, not [[1]]"),
    (list[int], [1, "b"], '"[1]" must be an integer, not "b"'),
    (Point, {"y": 1}, '"x" is missing'),
    (Place, {"name": "here", "point": {"x": "1"}}, '"point.x" must be an integer, not "1"'),
    (int | None, "a", 'must be an integer, not "a", or must be null, not "a"'),
]


class FormsTest(unittest.TestCase):
    def test_each_type_has_its_schema(self) -> None:
        for hint, schema in SCHEMAS:
            with self.subTest(hint):
                self.assertEqual(form_of(hint).schema, schema)

    def test_values_are_read_and_written(self) -> None:
        for hint, json, value in VALUES:
            with self.subTest(hint):
                form = form_of(hint)
                self.assertEqual(form.decode(json), value)
                self.assertEqual(form.decode(form.encode(value)), value)

    def test_a_misfit_says_where_it_is_and_what_it_must_be(self) -> None:
        for hint, json, words in MISFITS:
            with self.subTest(hint), self.assertRaises(Misfit) as caught:
                form_of(hint).decode(json)
            self.assertIn(words, str(caught.exception))

    def test_a_type_without_a_form_says_what_to_use(self) -> None:
        with self.assertRaisesRegex(TypeError, "the type Thread has no form in JSON: use numbers, texts"):
            form_of(threading.Thread)
        with self.assertRaisesRegex(TypeError, '"left": Tree contains itself'):
            form_of(Tree)
        for hint, name in [
            (set[list[int]], r"list\[int\]"),
            (frozenset[dict], "dict"),
            (set[Point], "Point"),
            (set[Place | None], "__main__|forms_test"),
            (set[tuple[int, list[int]]], "tuple"),
        ]:
            with self.subTest(hint), self.assertRaisesRegex(TypeError, f"a set cannot hold .*{name}.*: take a list"):
                form_of(hint)

    def test_a_model_of_pydantic_is_taken_at_its_word(self) -> None:
        class Model:
            def __init__(self, name: str):
                self.name = name

            @staticmethod
            def model_json_schema() -> dict:
                members = {"name": {"$ref": "#/$defs/Name", "title": "Name"}}
                return {"type": "object", "properties": members, "$defs": {"Name": {"type": "string"}}}

            @staticmethod
            def model_validate(value: dict) -> "Model":
                if "name" not in value:
                    raise ValueError("name: Field required")
                return Model(value["name"])

            def model_dump(self, mode: str, by_alias: bool) -> dict:
                return {"name": self.name}

        form = form_of(Model)
        self.assertEqual(form.schema, {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}})
        self.assertEqual(form.encode(form.decode({"name": "Ada"})), {"name": "Ada"})
        with self.assertRaisesRegex(Misfit, "does not fit: name: Field required"):
            form.decode({})

    def test_what_may_be_left_out_is_left_out(self) -> None:
        @dataclasses.dataclass
        class Person:
            name: str
            email: str | None = None

        self.assertEqual(form_of(Person).encode(Person("Ada")), {"name": "Ada"})

    def test_a_field_may_be_the_default(self) -> None:
        member = member_of("n", int, Field(3, ge=1))
        self.assertEqual(
            (member.schema(), member.is_required), ({"type": "integer", "minimum": 1, "default": 3}, False)
        )
        self.assertTrue(member_of("n", int, Field(ge=1)).is_required)

    def test_the_default_of_a_field_is_given_to_each_call_anew(self) -> None:
        members = [member_of("n", int, Field(3, ge=1)), member_of("tags", Annotated[list, Field(default=[])], MISSING)]
        for decode in (decode_members, decode_texts):
            with self.subTest(decode):
                first, second = decode(members, {}), decode(members, {})
                self.assertEqual(first, {"n": 3, "tags": []})
                self.assertIsNot(first["tags"], second["tags"])
        sentinel = object()
        self.assertIs(decode_members([member_of("n", int, Field(sentinel))], {})["n"], sentinel)

    def test_a_dataclass_is_made_with_the_defaults_of_its_fields_and_its_own(self) -> None:
        numbers = itertools.count()

        @dataclasses.dataclass
        class Order:
            note: Annotated[str | None, Field(default="none")]
            count: int = Field(1, ge=1)
            number: int = dataclasses.field(default_factory=lambda: next(numbers))
            is_sent: bool = dataclasses.field(default=False, init=False)

        decode = form_of(Order).decode
        first, second = decode({}), decode({"note": None, "count": 2, "is_sent": True})
        self.assertEqual((first.note, first.count, first.is_sent), ("none", 1, False))
        self.assertEqual((second.note, second.count, second.is_sent), (None, 2, False))
        self.assertNotEqual(first.number, second.number)

    def test_a_default_that_json_cannot_say_is_not_in_the_schema(self) -> None:
        for default in (math.inf, [math.nan], object(), threading.Lock()):
            with self.subTest(default):
                self.assertEqual(member_of("n", float, default).schema(), {"type": "number"})

    def test_bounds_hold_for_texts(self) -> None:
        for hint, field, within, beyond, words in BOUNDS:
            members = [member_of("n", Annotated[hint, field], MISSING)]
            with self.subTest(hint, field=field):
                decode_texts(members, {"n": within})
                with self.assertRaises(Misfit) as caught:
                    decode_texts(members, {"n": beyond})
                self.assertEqual(str(caught.exception), f'"n" {words}')

    def test_bounds_hold_for_what_the_schema_cannot_say(self) -> None:
        amount = member_of("amount", Annotated[decimal.Decimal, Field(gt=0, multiple_of=0.01)], MISSING)
        self.assertEqual(decode_members([amount], {"amount": "0.30"}), {"amount": decimal.Decimal("0.30")})
        for text in ("-100", "0", "0.305", "NaN", "Infinity", "1e99999999", "ten"):
            for decode in (decode_members, decode_texts):
                with self.subTest(text, decode=decode), self.assertRaises(Misfit):
                    decode([amount], {"amount": text})
        amounts = member_of("amounts", list[Annotated[decimal.Decimal, Field(le=1)]], MISSING)
        with self.assertRaisesRegex(Misfit, r'"amounts\[1\]" must be at most 1, not "2"'):
            decode_members([amounts], {"amounts": ["1", "2"]})

    def test_lengths_are_of_what_the_type_holds(self) -> None:
        for hint, keywords in {
            str: {"maxLength": 2},
            list[str]: {"maxItems": 2},
            dict[str, int]: {"maxProperties": 2},
            list[str] | None: {"maxItems": 2},
            str | list[str]: {"maxLength": 2, "maxItems": 2},
        }.items():
            with self.subTest(hint):
                schema = form_of(Annotated[hint, Field(max_length=2)]).schema
                self.assertEqual({key: value for key, value in schema.items() if key.startswith("max")}, keywords)
        with self.assertRaisesRegex(Misfit, '"n" must have at most 2 members, not 3'):
            member = member_of("n", Annotated[dict, Field(max_length=2)], MISSING)
            decode_texts([member], {"n": '{"a":1,"b":2,"c":3}'})

    def test_texts_are_read_by_their_types(self) -> None:
        hints = {"n": int, "name": str, "color": Color, "tags": list[str]}
        members = [member_of(name, hint, MISSING) for name, hint in hints.items()]
        texts = {"n": "5", "name": "5", "color": "red", "tags": '["a"]'}
        self.assertEqual(decode_texts(members, texts), {"n": 5, "name": "5", "color": Color.RED, "tags": ["a"]})
        with self.assertRaisesRegex(Misfit, '"n" must be an integer, not "five"'):
            decode_texts(members, {**texts, "n": "five"})
        with self.assertRaisesRegex(Misfit, '"name" is missing'):
            decode_texts(members, {"n": "5"})

    def test_a_whole_number_has_one_spelling(self) -> None:
        class Level(int, enum.Enum):
            LOW = 1

        class Grade(enum.Enum):
            LOW = 1

        for text, value in (("5", 5), ("-5", -5), ("0", 0)):
            self.assertEqual(decode_texts([member_of("n", int, MISSING)], {"n": text}), {"n": value})
        self.assertEqual(decode_texts([member_of("n", Level, MISSING)], {"n": "1"}), {"n": Level.LOW})
        self.assertEqual(decode_texts([member_of("n", float, MISSING)], {"n": "7.50"}), {"n": 7.5})
        for hint, texts in {
            int: ("+5", "05", "5.0", "5e0", " 5", "5\n", "-0"),
            Level: ("01", "1.0", " 1"),
            Grade: ("01", "1.0", "1e0", "10e-1"),
            bool: (" true",),
            float: (" 7.5",),
        }.items():
            for text in texts:
                with self.subTest(text, hint=hint), self.assertRaises(Misfit):
                    decode_texts([member_of("n", hint, MISSING)], {"n": text})

    def test_a_whole_float_of_an_enum_is_read_as_its_schema_writes_it(self) -> None:
        class Size(enum.Enum):
            SMALL = 1.0
            BIG = 2.5

        for hint in (Size, Size | None, Annotated[Size, "How big"]):
            with self.subTest(hint):
                self.assertEqual(decode_texts([member_of("n", hint, MISSING)], {"n": "1.0"}), {"n": Size.SMALL})

    def test_a_list_is_read_however_its_json_is_spaced(self) -> None:
        for text in ("[7,8]", "[7, 8]"):
            with self.subTest(text):
                self.assertEqual(decode_texts([member_of("n", list[int], MISSING)], {"n": text}), {"n": [7, 8]})

    def test_a_number_that_is_not_finite_does_not_fit(self) -> None:
        for text in ("NaN", "Infinity", "-1e999", "1" + "0" * 400):
            for hint, words in ((int, '"n" must be an integer'), (float, '"n" must be a number within bounds')):
                if hint is int and text.startswith("10"):
                    continue  # an integer has no bounds
                with self.subTest(text, hint=hint), self.assertRaisesRegex(Misfit, words):
                    decode_texts([member_of("n", hint, MISSING)], {"n": text})

    def test_a_text_that_is_nested_deeply_does_not_fit(self) -> None:
        for text in ("[" * 100_000, "[" * 100_000 + "]" * 100_000, "[" * 600 + "]" * 600):
            with self.subTest(len(text)), self.assertRaisesRegex(Misfit, '"n" must be an integer, not '):
                decode_texts([member_of("n", int, MISSING)], {"n": text})


if __name__ == "__main__":
    unittest.main()
