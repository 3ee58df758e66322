"""A memo forgets when it is full, and nothing that is worked out depends on it."""

from __future__ import annotations

from kg.closure import Closure
from kg.graph import Graph
from kg.memo import Memo
from kg.schema import Schema, Step


def test_a_memo_holds_no_more_members_than_it_may() -> None:
    memo: Memo[str, frozenset[int]] = Memo(most=4)
    assert memo.keep("a", frozenset((1, 2)), 2) == {1, 2}
    memo.keep("b", frozenset(), 0)
    assert set(memo) == {"a", "b"}
    memo.keep("c", frozenset((3,)), 1)
    assert (set(memo), memo.held) == ({"c"}, 2)


def test_verdicts_do_not_depend_on_what_is_held(small_graph: Graph, small_schema: Schema) -> None:
    whole, forgetful = Closure(small_graph, small_schema), Closure(small_graph, small_schema, Memo(3), Memo(3))
    nodes = sorted(small_graph.nodes)[:25]
    steps = [Step(name, inverse) for name in sorted(small_schema.predicates)[:6] for inverse in (False, True)]
    for step in steps:
        for node in nodes:
            for value in nodes:
                assert forgetful.judge(node, step, value) == whole.judge(node, step, value)
