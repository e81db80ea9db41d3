"""The decorators, and what they make of a function: a tool, a resource, a resource template or a prompt."""

import dataclasses
import inspect
import re
import types
import typing
from typing import Any, Callable, Sequence

from . import rules
from .content import Image, Message, ToolResult, text_of
from .context import Context
from .forms import Form, Member, form_of, json_text, member_of, object_schema
from .interfaces import CAPABILITIES, SUBSCRIPTIONS, need

_TEMPLATE_EXPRESSION = re.compile(r"\{[+#?/]?([^{}]+)\}")
Completion = Sequence[str] | Callable[..., Any]
_TAG = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_LONGEST_TIMEOUT = 365 * 24 * 3600
_CONTENT_TYPES = (str, Image, Message, ToolResult)


class Collection:
    """All components of one version of a folder's files, each kind by names or URIs, and what else the files say."""

    def __init__(self, host: Any = None) -> None:
        self.host = host
        self.tools: dict[str, Tool] = {}
        self.resources: dict[str, Resource] = {}
        self.templates: dict[str, Resource] = {}
        self.prompts: dict[str, Prompt] = {}
        self.on_subscribed: list[Component] = []
        self.on_unsubscribed: list[Component] = []
        self.capabilities: dict[str, dict[str, dict]] = {}

    def add(self, kind: str, key: str, component: "Component") -> None:
        self._need_new(kind, key, component)
        getattr(self, kind)[key] = component

    def merge(self, more: "Collection") -> None:
        """All of it or, where something is there twice, nothing."""
        kinds = ("tools", "resources", "templates", "prompts")
        for kind in kinds:
            for key, component in getattr(more, kind).items():
                self._need_new(kind, key, component)
        for kind in kinds:
            getattr(self, kind).update(getattr(more, kind))
        self.on_subscribed += more.on_subscribed
        self.on_unsubscribed += more.on_unsubscribed
        for group, capabilities in more.capabilities.items():
            self.capabilities.setdefault(group, {}).update(capabilities)

    def _need_new(self, kind: str, key: str, component: "Component") -> None:
        other = getattr(self, kind).get(key)
        if other is not None:
            raise ValueError(f'"{key}" is there twice: {other.place} and {component.place}')

    def description(self) -> dict:
        def listed(components: dict) -> list[dict]:
            return [component.description for component in components.values()]

        completable = [*self.templates.values(), *self.prompts.values()]
        return {
            "tools": listed(self.tools),
            "resources": listed(self.resources),
            "resourceTemplates": listed(self.templates),
            "prompts": listed(self.prompts),
            **({"completions": True} if any(each.completions for each in completable) else {}),
            **({"capabilities": self.capabilities} if self.capabilities else {}),
        }


_collecting: Collection | None = None


def collect(load: Callable[[], None], host: Any) -> Collection:
    """What the decorators register while `load` runs. Elsewhere they register nothing, as in a test of a function."""
    global _collecting
    _collecting = collection = Collection(host)
    try:
        load()
    finally:
        _collecting = None
    return collection


def host_of_loading() -> Any:
    """The functions of the host whose plugin is being loaded, or None."""
    return None if _collecting is None else _collecting.host


@dataclasses.dataclass(frozen=True)
class Component:
    function: Callable
    members: list[Member]  # the parameters, without that of the context
    context_name: str | None  # the parameter that is given the Context
    description: dict  # as MCP lists it

    @property
    def place(self) -> str:
        code = inspect.unwrap(self.function).__code__
        return f"{code.co_filename}:{code.co_firstlineno}"


@dataclasses.dataclass(frozen=True)
class Tool(Component):
    output: Form | None
    is_wrapped: bool  # the output is the member "result" of the structured content


@dataclasses.dataclass(frozen=True)
class Completable(Component):
    completions: dict[str, Component]  # by parameter: given what has been typed, and what has been chosen for the others


@dataclasses.dataclass(frozen=True)
class Resource(Completable):
    mime_type: str | None


@dataclasses.dataclass(frozen=True)
class Prompt(Completable):
    pass


def tool(
    function: Callable | None = None,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    annotations: dict | None = None,
    tags: set[str] | None = None,
    timeout: float | None = None,
    meta: dict | None = None,
) -> Any:
    """Makes a function a tool: `@tool`, or `@tool(annotations={"readOnlyHint": True})`.

    `timeout` is in seconds, from 0.001 to 365 days: how long a call of it may take, where that is less than the
    operator allows. `tags` are words by which operators and clients choose among tools: 1 to 128 characters of
    A-Za-z0-9_.- each. ValueError if they are not."""

    def register(decorated: Callable) -> Callable:
        more = {"annotations": annotations, "execution": _execution(timeout)}
        listed = _listed(decorated, name, title, description, {**more, "_meta": _tagged(meta, tags)})
        _register("tools", listed["name"], lambda: _make_tool(decorated, listed))
        return decorated

    return register if function is None else register(function)


def resource(
    uri: str,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    annotations: dict | None = None,
    tags: set[str] | None = None,
    meta: dict | None = None,
    completions: dict[str, Completion] | None = None,
) -> Callable[[Callable], Callable]:
    """Makes a function a resource, or, with variables in the URI that are its parameters, a resource template.

    `completions` offer values while somebody fills in a variable, as those of a prompt do."""
    if callable(uri):
        raise TypeError('@resource needs a URI: @resource("notes://index")')
    _check_literals(uri)

    def register(decorated: Callable) -> Callable:
        more = {"mimeType": mime_type, "annotations": annotations, "_meta": _tagged(meta, tags)}
        listed = _listed(decorated, name, title, description, more)
        # {name}, {+name}, {#name}, {name*}, {?name,name}; the host refuses what is none of them.
        variables = [
            name.removesuffix("*") for names in _TEMPLATE_EXPRESSION.findall(uri) for name in names.split(",")
        ]
        kind, key = ("templates", "uriTemplate") if variables else ("resources", "uri")
        listed[key] = uri
        _register(kind, uri, lambda: _make_resource(decorated, listed, variables, mime_type, completions or {}))
        return decorated

    return register


def prompt(
    function: Callable | None = None,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    tags: set[str] | None = None,
    meta: dict | None = None,
    completions: dict[str, Completion] | None = None,
) -> Any:
    """Makes a function a prompt, whose arguments are its parameters.

    `completions` offer values while somebody fills in an argument: texts, of which those are offered that begin with
    what has been typed, or a function of that and of what has been chosen for the others, which returns the best values
    first; a client is told 100. What a Literal or an Enum allows is offered anyway."""

    def register(decorated: Callable) -> Callable:
        listed = _listed(decorated, name, title, description, {"_meta": _tagged(meta, tags)})
        _register("prompts", listed["name"], lambda: _make_prompt(decorated, listed, completions or {}))
        return decorated

    return register if function is None else register(function)


def on_subscribed(function: Callable) -> Callable:
    """Has a function, `def begin(uri: str)`, told that clients are subscribed to a resource now, by the URI that is
    read: first of those that they are subscribed to already, and some 50 ms after each change. Such functions never run
    side by side. A Context that it takes is of no call."""
    return _listening("on_subscribed", function)


def on_unsubscribed(function: Callable) -> Callable:
    """The same for a resource that no client is subscribed to any more."""
    return _listening("on_unsubscribed", function)


def _listening(kind: str, function: Callable) -> Callable:
    if _collecting is not None:
        need(_collecting.host, SUBSCRIPTIONS)
        members, context_name = _parameters(function)
        if len(members) != 1:
            raise TypeError(f"{function.__name__} takes the URI of a resource: def {function.__name__}(uri: str)")
        getattr(_collecting, kind).append(Component(function, members, context_name, {}))
    return function


def extension(name: str, settings: dict | None = None) -> None:
    """Adds an extension to what the server says that it can do, for as long as the file says so. The name is
    PREFIX/NAME with a domain of yours in reverse. ValueError if the host refuses it."""
    _add_capability("extensions", name, settings)


def experimental(name: str, settings: dict | None = None) -> None:
    """The same for what is no extension."""
    _add_capability("experimental", name, settings)


def _add_capability(group: str, name: str, settings: dict | None) -> None:
    if _collecting is not None:
        need(_collecting.host, CAPABILITIES)
        error = _collecting.host.check_capabilities(json_text({group: {name: settings or {}}}))
        if error:
            raise ValueError(error)
        _collecting.capabilities.setdefault(group, {})[name] = settings or {}


def _execution(timeout: float | None) -> dict | None:
    """What the host is told of how a tool's calls run."""
    if timeout is None:
        return None
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not is_number or not 0.001 <= timeout <= _LONGEST_TIMEOUT:
        raise ValueError(
            f"timeout is a number of seconds from 0.001 to {_LONGEST_TIMEOUT}, such as timeout=30.0, not {timeout!r}"
        )
    return {"timeoutMs": round(timeout * 1000)}


def _tagged(meta: dict | None, tags: set[str] | None) -> dict | None:
    if not tags:
        return meta
    if not isinstance(tags, (set, frozenset, list, tuple)):
        raise ValueError(f'tags are a set of texts, such as tags={{"slow", "internal"}}, not {tags!r}')
    for tag in tags:
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise ValueError(f"a tag is a text of 1 to 128 characters of A-Za-z0-9_.-, not {tag!r}: choose another")
    # In order, because that of a set is another one each time, and what is described is compared.
    return {**(meta or {}), "mcp-plugin-host/tags": sorted(tags)}


def _register(kind: str, key: str, make: Callable[[], Component]) -> None:
    if _collecting is not None:
        component = make()
        try:
            json_text(component.description)
        except (TypeError, ValueError) as error:
            raise TypeError(f'what is said of "{key}" cannot be written as JSON: {error}') from None
        rules.check(kind, component.description)
        _collecting.add(kind, rules.key(kind, key), component)


def _listed(function: Callable, name: str | None, title: str | None, description: str | None, more: dict) -> dict:
    described = description or inspect.getdoc(function)
    all_members = {"name": name or function.__name__, "title": title, "description": described, **more}
    return {key: value for key, value in all_members.items() if value is not None}


def _parameters(function: Callable) -> tuple[list[Member], str | None]:
    hints = typing.get_type_hints(function, include_extras=True)
    members, context_name = [], None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"{function.__name__} takes *{parameter.name}: name each parameter, so that it has a schema"
            )
        hint = hints.get(parameter.name, Any)
        if _is_context(hint):
            context_name = parameter.name
            continue
        members.append(member_of(parameter.name, hint, parameter.default))
    return members, context_name


def _is_context(hint: Any) -> bool:
    return any(isinstance(each, type) and issubclass(each, Context) for each in (hint, *typing.get_args(hint)))


def _check_literals(uri: str) -> None:
    """Of a URI what is no variable. What is left of one would be served as it stands, and no URI would match."""
    literals = _TEMPLATE_EXPRESSION.sub("", uri)
    if "*" in literals:
        raise ValueError(f"{uri}: `*` cannot be a parameter: write {{name*}}")
    if "{" in literals or "}" in literals:
        raise ValueError(f"{uri}: a brace belongs to a variable, which is {{name}}")


def _text_parameters(function: Callable) -> tuple[list[Member], str | None]:
    """Of a function whose arguments come as texts. What they match is looked at here, so Python must understand it."""
    members, context_name = _parameters(function)
    for member in members:
        for note in member.form.notes:
            re.compile(note.pattern or "")
    return members, context_name


def _make_tool(function: Callable, listed: dict) -> Tool:
    members, context_name = _parameters(function)
    listed["inputSchema"] = {**object_schema(members), "additionalProperties": False}
    output = _output_form(function)
    is_wrapped = output is not None and output.schema.get("type") != "object"
    if output is not None:
        result = {"type": "object", "properties": {"result": output.schema}, "required": ["result"]}
        listed["outputSchema"] = result if is_wrapped else output.schema
    return Tool(function, members, context_name, listed, output, is_wrapped)


def _output_form(function: Callable) -> Form | None:
    """Of what is structured: not of a text, which is said as it is, and not of what is content already."""
    hint = typing.get_type_hints(function, include_extras=True).get("return", Any)
    if hint in (Any, dict, None, type(None)) or _has_content(hint):
        return None
    return form_of(hint)


def _has_content(hint: Any) -> bool:
    is_plain = hint is str or isinstance(hint, type) and issubclass(hint, _CONTENT_TYPES)
    kinds = _kinds_of(hint)
    kinds += [kind for each in kinds for item in typing.get_args(each) for kind in _kinds_of(item)]
    return is_plain or any(isinstance(kind, type) and issubclass(kind, (Image, ToolResult)) for kind in kinds)


def _kinds_of(hint: Any) -> list:
    """What a value may be: each type of a union, without what is said of it in Annotated."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _kinds_of(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return [kind for each in arguments for kind in _kinds_of(each)]
    return [hint]


def _make_resource(
    function: Callable, listed: dict, variables: list[str], mime_type: str | None, completions: dict[str, Completion]
) -> Resource:
    members, context_name = _text_parameters(function)
    names = [member.name for member in members]
    strangers = [name for name in variables if name not in names]
    unset = [member.name for member in members if member.is_required and member.name not in variables]
    if strangers or unset:
        raise TypeError(
            f"the variables of a URI are the parameters of its function, but {function.__name__} "
            + (f"lacks {', '.join(strangers)}" if strangers else f"takes {', '.join(unset)}, too")
        )
    made = _completions(function, [member for member in members if member.name in variables], completions)
    return Resource(function, members, context_name, listed, made, mime_type)


def _make_prompt(function: Callable, listed: dict, completions: dict[str, Completion]) -> Prompt:
    members, context_name = _text_parameters(function)
    listed["arguments"] = [
        {
            "name": member.name,
            **{key: member.form.schema[key] for key in ("title", "description") if key in member.form.schema},
            "required": member.is_required,
        }
        for member in members
    ]
    return Prompt(function, members, context_name, listed, _completions(function, members, completions))


def _completions(function: Callable, members: list[Member], given: dict[str, Completion]) -> dict[str, Component]:
    strangers = given.keys() - {member.name for member in members}
    if strangers:
        raise TypeError(f"completions are of the parameters of {function.__name__}, which lacks {', '.join(strangers)}")
    choices = {member.name: _choices(member.form.schema) for member in members}
    # As texts, because that is what a client fills in.
    made = {name: [text_of(choice) for choice in values] for name, values in choices.items() if values}
    return {name: _completion(name, values) for name, values in {**made, **given}.items()}


def _choices(schema: dict) -> list:
    """What a Literal or an Enum allows, also where it is one type of a union."""
    return [*schema.get("enum", []), *(choice for each in schema.get("anyOf", []) for choice in _choices(each))]


def _completion(name: str, given: Completion) -> Component:
    if isinstance(given, (list, tuple)) and all(isinstance(value, str) for value in given):

        def complete(typed: str) -> list[str]:
            return [value for value in given if value.lower().startswith(typed.lower())]

        return _completion(name, complete)
    if not callable(given):
        raise TypeError(f'completions["{name}"] is a list of texts or a function, not {given!r}')
    members, context_name = _parameters(given)
    if len(members) not in (1, 2):
        raise TypeError(
            f"{given.__name__} takes what has been typed of {name}, and may take what has been chosen for the others: "
            f"def {given.__name__}(typed: str, chosen: dict[str, str])"
        )
    return Component(given, members, context_name, {})


def is_asynchronous(function: Callable) -> bool:
    return inspect.iscoroutinefunction(inspect.unwrap(function))
