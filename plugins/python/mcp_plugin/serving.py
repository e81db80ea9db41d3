"""The plugin as its host knows it: described, started, called and stopped by the library that embeds Python."""

import json
import os
import pathlib
import site
import struct
import sys
import threading
from typing import Any, Callable

from . import content, rules
from .components import Collection, Completable, Component, Prompt, Resource, Tool, is_asynchronous
from .context import CallState, Cancelled, Context, Unanswered
from .folder import Folder, described
from .forms import Misfit, decode_members, decode_texts, json_text

_ERROR, _INFO = 4, 1
_RESULT, _FAILED, _INPUT_REQUIRED = 0, 1, 2
_CALL_ID = struct.Struct("=Q")
_NO_CALL = _CALL_ID.pack(0)
_SECONDS_BETWEEN_LOOKS = 0.25
_SECONDS_OF_STILLNESS = 0.05  # a file that has changed may be half written

_CAUGHT = (
    "The function caught the exception by which it asks the client (Context.elicit, ask or sample): "
    "do not write `except BaseException:` or `except:` around it without `raise`."
)

Outcome = tuple[int, dict]


class Plugin:
    """One for each instance. `host` has the functions of mcp_host. Any thread may call `invoke`."""

    def __init__(self, host: Any):
        self._host = host
        configuration = json.loads(host.configuration() or "{}")
        _use_packages(configuration)
        self._folder = Folder(_folder_of(configuration), host)
        self._calls: dict[int, CallState] = {}
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        # What is written to is the number of a call that is cancelled. A pipe, because the host's thread that says so
        # must not wait for the interpreter.
        self._cancelled_calls, self.cancellations = os.pipe()
        os.set_blocking(self.cancellations, False)
        self._seen = self._folder.fingerprint()
        self._loaded, mistakes = self._folder.load(all_or_nothing=False)
        for mistake in mistakes:
            host.log(0, _ERROR, f"{mistake}\nThe file is not served, and is tried again when it changes.")
        self._served = self._before = self._loaded

    def describe(self) -> str:
        """From here on calls are of what has been loaded; those that the host still has of before are served, too."""
        loaded = self._loaded
        text = json_text(loaded.description())
        if self._served is not loaded:
            self._serve(loaded)
        return text

    def start(self) -> None:
        for loop in (self._hear_cancellations, self._watch):
            thread = threading.Thread(target=loop, name=f"mcp_plugin{loop.__name__}", daemon=True)
            thread.start()
            self._threads.append(thread)
        self._listen()

    def stop(self) -> None:
        self._stopping.set()
        # In words, because a process that the author has forked may keep the pipe open. The pipe may be full.
        if self._threads:
            os.set_blocking(self.cancellations, True)
            os.write(self.cancellations, _NO_CALL)
        for thread in self._threads:
            thread.join()
        os.close(self.cancellations)
        os.close(self._cancelled_calls)
        self._folder.close()

    def subscription_changed(self, uri: str, is_subscribed: bool) -> None:
        """What a client is subscribed to has changed. The host calls it once at a time."""
        for component in self._served.on_subscribed if is_subscribed else self._served.on_unsubscribed:
            state = CallState()
            try:
                arguments = {component.members[0].name: uri}
                self._run(component, arguments, Context(self._host, 0, {}, state), state)
            except BaseException as error:
                self._tell(error)

    def invoke(self, call: int, method: str, params: str) -> None:
        state = self._calls[call] = CallState()
        try:
            outcome, answer = self._answer(call, method, json.loads(params), state)
            text = json_text(answer)
        except Exception as error:
            self._tell(error)
            outcome, text = _FAILED, json_text(_error(content.INTERNAL_ERROR, str(error)))
        finally:
            del self._calls[call]
        self._host.complete(call, outcome, text)

    # Calls.

    def _answer(self, call: int, method: str, params: dict, state: CallState) -> Outcome:
        methods = {
            "tools/call": self._call_tool,
            "resources/read": self._read,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }
        serve = methods.get(method)
        if serve is None:
            return _FAILED, _error(-32601, f"Unknown method: {method}")
        context = Context(self._host, call, params, state)
        try:
            result = serve(params, context, state)
            if context.has_asked:
                raise RuntimeError(_CAUGHT)
            return _RESULT, result
        except Unanswered as unanswered:
            return _INPUT_REQUIRED, {"inputRequests": unanswered.requests}
        except content.ProtocolError as error:
            return _FAILED, _error(error.code, str(error), error.data)

    def _call_tool(self, params: dict, context: Context, state: CallState) -> dict:
        tool: Tool = self._find("tools", params["name"], "tool")
        try:
            arguments = _tool_arguments(tool, params)
            value = self._run(tool, arguments, context, state)
            return content.tool_result(value, tool.output, tool.is_wrapped)
        except (Unanswered, content.ProtocolError):
            raise
        except (content.ToolError, Cancelled) as error:
            return _tool_failure(str(error))
        except BaseException as error:  # also SystemExit, which is the author's wish to end this call at most
            self._tell(error)
            text = f"Error calling tool '{params['name']}': {str(error) or type(error).__name__}"
            return {**_tool_failure(text), "_meta": {"mcp-plugin-host/unexpected": True}}

    def _read(self, params: dict, context: Context, state: CallState) -> dict:
        if "uriTemplate" in params:
            resource: Resource = self._find("templates", params["uriTemplate"], "resource")
        else:
            resource = self._find("resources", params["uri"], "resource")
        arguments = _arguments(lambda: decode_texts(resource.members, params.get("variables") or {}))
        value = self._run_untold(resource, arguments, context, state)
        if value is None:
            raise content.NotFound()
        return content.resource_contents(value, params["uri"], resource.mime_type)

    def _get_prompt(self, params: dict, context: Context, state: CallState) -> dict:
        prompt: Prompt = self._find("prompts", params["name"], "prompt")
        arguments = _arguments(lambda: decode_texts(prompt.members, params.get("arguments") or {}))
        result = content.prompt_messages(self._run_untold(prompt, arguments, context, state))
        if "description" in prompt.description:
            result["description"] = prompt.description["description"]
        return result

    def _complete(self, params: dict, context: Context, state: CallState) -> dict:
        ref, argument = params["ref"], params["argument"]
        if ref["type"] == "ref/prompt":
            completable: Completable = self._find("prompts", ref["name"], "prompt")
        else:
            completable = self._find("templates", ref["uri"], "resource")
        completion = completable.completions.get(argument["name"])
        if completion is None:
            return {"completion": {"values": []}}
        given = (argument["value"], params["context"]["arguments"])
        arguments = {member.name: value for member, value in zip(completion.members, given)}
        values = self._run_untold(completion, arguments, context, state)
        if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
            text = f"{completion.function.__name__} returned {values!r} instead of a list of texts"
            raise content.ProtocolError(content.INTERNAL_ERROR, text)
        return {"completion": {"values": list(values)}}

    def _find(self, kind: str, key: str, what: str) -> Any:
        for collection in (self._served, self._before):
            component = getattr(collection, kind).get(rules.key(kind, key))
            if component is not None:
                return component
        raise content.ProtocolError(content.INVALID_PARAMS, f"Unknown {what}: {key}")

    def _run_untold(self, component: Component, arguments: dict, context: Context, state: CallState) -> Any:
        """What it raises is an error of the protocol: there is no result that a model could read."""
        try:
            return self._run(component, arguments, context, state)
        except (Unanswered, content.ProtocolError):
            raise
        except (content.ToolError, Cancelled) as error:
            raise content.ProtocolError(content.FAILED_AS_TOLD, str(error)) from None
        except BaseException as error:
            self._tell(error)
            raise content.ProtocolError(content.INTERNAL_ERROR, str(error) or type(error).__name__) from None

    def _run(self, component: Component, arguments: dict, context: Context, state: CallState) -> Any:
        if component.context_name is not None:
            arguments[component.context_name] = context
        try:
            if not is_asynchronous(component.function):
                return component.function(**arguments)
            # Imported by who needs it, because it takes as long as all the rest.
            from .asynchronous import run

            return run(component.function, arguments, context, state)
        except BaseExceptionGroup as group:
            _raise_question(group)
            raise

    def _tell(self, error: BaseException) -> None:
        # Not with the number of the call: its client hears what is logged of it, and need not know the author's files.
        self._host.log(0, _ERROR, described(error))

    # Threads.

    def _hear_cancellations(self) -> None:
        while (record := os.read(self._cancelled_calls, _CALL_ID.size)) != _NO_CALL:
            state = self._calls.get(_CALL_ID.unpack(record)[0])
            if state is not None:
                state.cancel()

    def _watch(self) -> None:
        while not self._stopping.wait(_SECONDS_BETWEEN_LOOKS):
            try:
                self._look()
            except Exception as error:  # else no change would be seen any more
                self._host.log(0, _ERROR, f"the folder could not be looked at:\n{described(error)}")

    def _look(self) -> None:
        found = self._folder.fingerprint()
        while found != self._seen:
            self._seen = found
            if self._stopping.wait(_SECONDS_OF_STILLNESS):
                return
            found = self._folder.fingerprint()
            if found == self._seen:
                self._load_anew()

    def _load_anew(self) -> None:
        loaded, mistakes = self._folder.load(all_or_nothing=True)
        if mistakes:
            self._host.log(0, _ERROR, "\n".join(mistakes) + "\nWhat was served before is served on.")
            return
        self._loaded = loaded
        if loaded.description() == self._served.description():
            self._serve(loaded)
        else:
            self._host.components_changed()

    def _serve(self, loaded: Collection) -> None:
        self._before, self._served = self._served, loaded
        self._host.log(0, _INFO, f"loaded {self._folder.path} anew")
        self._listen()

    def _listen(self) -> None:
        """The functions of a version are told of all subscriptions first."""
        if self._served.on_subscribed or self._served.on_unsubscribed:
            self._host.listen()


def _tool_arguments(tool: Tool, params: dict) -> dict:
    try:
        return decode_members(tool.members, params.get("arguments") or {})
    except Misfit as error:
        raise content.ToolError(str(error)) from None


def _arguments(decode: Callable[[], dict]) -> dict:
    try:
        return decode()
    except Misfit as error:
        raise content.ProtocolError(content.INVALID_PARAMS, str(error)) from None


def _raise_question(group: BaseExceptionGroup) -> None:
    """The first one in it, because asyncio.TaskGroup wraps the exception by which a task asks the client."""
    for error in group.exceptions:
        if isinstance(error, Unanswered):
            raise error
        if isinstance(error, BaseExceptionGroup):
            _raise_question(error)


def _error(code: int, message: str, data: Any = None) -> dict:
    return {"code": code, "message": message, **({} if data is None else {"data": data})}


def _tool_failure(text: str) -> dict:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _folder_of(configuration: dict) -> str:
    folder = configuration.get("folder")
    if folder is None:
        raise ValueError(
            'it has no "folder" of Python files: write {"folder": "/srv/tools"} into the file beside it that has its '
            "name and ends in .json"
        )
    if not isinstance(folder, str) or not folder.startswith("/"):
        raise ValueError(f'"folder" must be an absolute path, not {json_text(folder)}')
    if not pathlib.Path(folder).is_dir():
        raise ValueError(f'"folder": {folder} is no folder that can be read; make it, or correct the path')
    return folder


def _use_packages(configuration: dict) -> None:
    """Those of the system, and of the virtual environment that the configuration names."""
    folders = site.getsitepackages()
    environment = configuration.get("venv")
    if environment is not None:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = pathlib.Path(str(environment), "lib", version, "site-packages")
        if not packages.is_absolute() or not packages.is_dir():
            raise ValueError(f'"venv": {environment} is no virtual environment for {version}: {packages} is missing')
        folders = [str(packages), *folders]
    for folder in folders:
        if folder not in sys.path and os.path.isdir(folder):
            site.addsitedir(folder)
