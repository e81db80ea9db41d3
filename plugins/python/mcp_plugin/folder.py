"""A folder of Python files as modules: imported all anew, and looked at for changes."""

import contextlib
import functools
import importlib.machinery
import itertools
import os
import pathlib
import sys
import threading
import traceback
import types
from typing import Any, Iterable, Iterator, Sequence

from .components import Collection, collect

MAX_FILES = 10_000
_TAKEN_NAMES = sys.stdlib_module_names | {"mcp_plugin"}
Fingerprint = dict[str, tuple[int, int, int]]
_WARNING = 3
_SECONDS_OF_LOADING = 5  # after which somebody is told; the host waits for ten when it starts the plugin
_loading = threading.Lock()  # what the decorators register is of the folder that is being loaded


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Reads the source always: compiled files are told apart by whole seconds and sizes, which two edits may share."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder:
    """Finds the modules of the folder before all others, but those of Python itself, which a file cannot replace."""

    def __init__(self, folder: pathlib.Path):
        self._folder = folder

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name in _TAKEN_NAMES:
            return None
        places = [str(self._folder)] if path is None else [each for each in path if self.has(each)]
        loaders = [
            (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
            (_SourceLoader, importlib.machinery.SOURCE_SUFFIXES),
        ]
        for place in places:
            spec = importlib.machinery.FileFinder(place, *loaders).find_spec(name)
            if spec is not None and (spec.loader is not None or path is not None):
                return spec
        return None

    def has(self, file: str | None) -> bool:
        """Not what is installed below the folder, in a virtual environment: nobody edits that."""
        if file is None or not (path := pathlib.Path(file)).is_relative_to(self._folder):
            return False
        below = path.relative_to(self._folder).parts
        return not any(part == "site-packages" or part.startswith(".") for part in below)


class Folder:
    """One for each plugin. It is for one thread at a time."""

    def __init__(self, path: str, host: Any):
        self.path = pathlib.Path(path)
        self._host = host
        self._finder = _Finder(self.path)
        with _loading:
            sys.meta_path.insert(0, self._finder)

    def close(self) -> None:
        with _loading:
            sys.meta_path.remove(self._finder)

    def fingerprint(self) -> Fingerprint:
        """Which files there are, and what shows that one has changed. It is looked at, because the strict sandbox does
        not let the system tell of changes, and of network drives it cannot."""
        found: Fingerprint = {}
        folders = [str(self.path)]
        while folders and len(found) < MAX_FILES:
            for entry in _entries(folders.pop()):
                if entry.name.startswith("."):
                    continue
                if entry.name.endswith(".py"):
                    found |= _state_of(entry)
                # Packages only: another folder may hold many files that are nobody's modules.
                elif entry.is_dir(follow_symlinks=False) and os.path.exists(os.path.join(entry.path, "__init__.py")):
                    folders.append(entry.path)
        return found

    def load(self, all_or_nothing: bool) -> tuple[Collection, list[str]]:
        """Imports every file anew, and says what was wrong with some. The modules of before stay with the functions of
        before; they are put back where something was wrong, and it is to be all or nothing."""
        with _loading:
            # Plugins that share the interpreter may have modules of the same names: those of this one are found first.
            sys.meta_path.remove(self._finder)
            sys.meta_path.insert(0, self._finder)
            before = self._take_modules()
            with self._told_where_it_is():
                collection, mistakes = self._import_all()
            if mistakes and all_or_nothing:
                self._take_modules()
                sys.modules.update(before)
        return collection, mistakes

    @contextlib.contextmanager
    def _told_where_it_is(self) -> Iterator[None]:
        """A file that does not come to its end would otherwise leave no word of that."""
        loading = threading.get_ident()

        def tell() -> None:
            stack = reversed(traceback.StackSummary.extract(traceback.walk_stack(sys._current_frames().get(loading))))
            frames = itertools.dropwhile(lambda frame: not self._finder.has(frame.filename), stack)
            where = "".join(traceback.StackSummary.from_list(_of_author(frames)).format()).rstrip()
            self._host.log(
                0,
                _WARNING,
                f"the files are still being loaded after {_SECONDS_OF_LOADING} s; what is saved meanwhile is served "
                f"when that ends, or when an operator reloads the plugin:\n{where}",
            )

        timer = threading.Timer(_SECONDS_OF_LOADING, tell)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _import_all(self) -> tuple[Collection, list[str]]:
        if not self.path.is_dir():
            return Collection(), [f"{self.path} is no folder any more"]
        collection, mistakes = Collection(), []
        for file in sorted(self.path.glob("*.py")):
            if file.name.startswith((".", "__")):
                continue
            before = set(sys.modules)
            try:
                collection.merge(collect(functools.partial(_import, file), self._host))
            except BaseException as error:  # of the author's code: also SystemExit
                mistakes.append(f"{file.name}: {_in_one_line(error)}\n{described(error)}")
                self._forget_imports(file, before)
        return collection, mistakes

    def _forget_imports(self, file: pathlib.Path, before: set[str]) -> None:
        """What a file that is not served has imported registered its components with that file, and is imported again
        to be served. The file itself stays for others that import it, where it came to its end."""
        for name in set(sys.modules) - before - {file.stem}:
            if self._finder.has(getattr(sys.modules.get(name), "__file__", None)):
                sys.modules.pop(name, None)

    def _take_modules(self) -> dict[str, types.ModuleType]:
        """Out of the modules that are imported those of this folder, and others' of the same names."""
        top_names = {entry.name.removesuffix(".py") for entry in _entries(str(self.path))} - _TAKEN_NAMES
        taken = {
            name: module
            for name, module in list(sys.modules.items())  # other threads import meanwhile
            if name.partition(".")[0] in top_names or self._finder.has(getattr(module, "__file__", None))
        }
        for name in taken:
            sys.modules.pop(name, None)
        return taken


def _entries(folder: str) -> list[os.DirEntry]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # it has just been removed
        return []


def _state_of(file: os.DirEntry) -> Fingerprint:
    try:
        status = file.stat()
    except OSError:  # it has just been removed, or is a link that leads nowhere
        return {}
    return {file.path: (status.st_mtime_ns, status.st_size, status.st_ino)}


def _import(file: pathlib.Path) -> None:
    name = file.stem
    if name in _TAKEN_NAMES:
        raise ImportError(f"{file}: a module of Python has the name {name}; rename the file")
    if not name.isidentifier():
        raise ImportError(
            f"{file}: {name} is no name of a module; rename the file, with _ for what is no letter or digit"
        )
    __import__(name)


# Of a traceback, what is not the author's. As part of the library the origin of this module is <mcp_plugin.folder>.
_OTHER_FRAMES = ("<mcp_plugin", "<frozen importlib", str(__spec__.origin).removesuffix("folder.py"))


def _of_author(frames: Iterable[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    return [frame for frame in frames if not frame.filename.startswith(_OTHER_FRAMES)]


def _in_one_line(error: BaseException) -> str:
    words = str(traceback.TracebackException.from_exception(error))  # also of one that cannot say itself
    return f"{type(error).__name__}: {words}".splitlines()[0]


def described(error: BaseException) -> str:
    """The traceback, as far as it is the author's."""
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list(_of_author(told.stack))
    return "".join(told.format()).rstrip()
