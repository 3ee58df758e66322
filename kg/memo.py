"""What has been worked out once, up to a bound: on a graph of millions of facts the sets of all entities would fill any memory."""

from __future__ import annotations

from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")
MOST = 20_000_000  # members of all sets together; some 30 bytes each


class Memo(dict[Key, Value]):
    """A mapping that forgets all it holds when that grows beyond `most` members; results do not depend on it."""

    def __init__(self, most: int = MOST) -> None:
        super().__init__()
        self.most, self.held = most, 0

    def keep(self, key: Key, value: Value, size: int) -> Value:
        """Hold a value of `size` members, and give it back.

        >>> memo: Memo[str, frozenset[int]] = Memo(most=4)
        >>> _ = memo.keep("a", frozenset((1, 2)), 2), memo.keep("b", frozenset((3,)), 1)
        >>> sorted(memo)
        ['b']
        """
        if self.held + size + 1 > self.most:
            self.clear()
            self.held = 0
        self.held += size + 1
        self[key] = value
        return value
