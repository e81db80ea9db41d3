"""The small values that a plugin keeps."""

import json
import typing
from typing import Any, Callable

from .interfaces import STORE, need

_DONE, _ABSENT, _CHANGED = 0, 1, 2
_ANY = 0xFFFF_FFFF_FFFF_FFFF


class StoreError(Exception):
    """The key or the value is none that can be kept, there is no room, or it cannot be read or kept now. The text says
    which."""


class Entry(typing.NamedTuple):
    """A value, and the number that it has until the next one is put, which has another."""

    value: bytes
    revision: int


class Store:
    """Values that outlive the plugin's instances, its process and the host; all instances of the plugin have the same
    ones. Any thread may use it. A method returns when what it has done will last, and raises StoreError where it
    cannot. Keys are texts of 1 to 256 bytes without control characters, values any bytes, 32768 at most."""

    def __init__(self, host: Any):
        need(host, STORE)
        self._host = host

    def get(self, key: str) -> bytes | None:
        entry = self.find(key)
        return None if entry is None else entry.value

    def put(self, key: str, value: bytes) -> None:
        self.put_if(key, value, _ANY)

    def erase(self, key: str) -> bool:
        """False if there was no such key."""
        return _status("erase", key, self._host.store_erase(key)) == _DONE

    def list(self, prefix: str = "") -> list[str]:
        """The keys that begin so, in the order of their bytes."""
        answer = self._host.store_list(prefix)
        _status("list", prefix, answer)
        return json.loads(answer[1])

    def update(self, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        """Puts what `change` makes of the value, or of None where there is none, and returns it. Nothing that others
        put meanwhile is lost: `change` is called again then."""
        while True:
            entry = self.find(key)
            value = change(None if entry is None else entry.value)
            if self.put_if(key, value, 0 if entry is None else entry.revision):
                return value

    def find(self, key: str) -> Entry | None:
        answer = self._host.store_get(key)
        return Entry(*answer[1:3]) if _status("read", key, answer) == _DONE else None

    def put_if(self, key: str, value: bytes, revision: int) -> bool:
        """Puts the value if the key still has this revision; 0: if there is no such key. False: it has another one."""
        return _status("keep", key, self._host.store_put(key, memoryview(value).tobytes(), revision)) == _DONE


def _status(what: str, key: str, answer: tuple[int, bytes, int, str]) -> int:
    if answer[0] not in (_DONE, _ABSENT, _CHANGED):
        raise StoreError(f'cannot {what} "{key}": {answer[3]}')
    return answer[0]
