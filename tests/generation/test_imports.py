"""One way only: kg <- generation <- training <- evaluation. Every import of the four stages is read and judged."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAGES = ("kg", "generation", "training", "evaluation")
HEAVY = frozenset({"torch", "vllm", "trl", "transformers", "peft", "datasets", "accelerate"})


def imports(source: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every absolute import of a text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module


def wrong_way(stage: str, source: str, place: str) -> list[str]:
    """What breaks the order, as `file:line: text`."""
    later = STAGES[STAGES.index(stage) + 1 :]
    return [
        f"{place}:{line}: {stage} may not import {module} (kg <- generation <- training <- evaluation)"
        for line, module in imports(source)
        if module.split(".")[0] in later
    ]


def sources(stage: str) -> list[Path]:
    return sorted((ROOT / stage).rglob("*.py"))


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_stages_to_its_left(stage: str) -> None:
    files = sources(stage)
    assert files, f"{stage}/ holds no Python file"
    found = [
        line
        for path in files
        for line in wrong_way(stage, path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_imports_the_tests_or_hides_an_import_behind_dots(stage: str) -> None:
    for path in sources(stage):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        relative = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
        assert not relative, f"{path}:{relative}: write the import from the root"
        assert not [
            line for line, module in imports(path.read_text(encoding="utf-8")) if module.split(".")[0] == "tests"
        ], path


@pytest.mark.parametrize("stage", ["kg", "generation"])
def test_heavy_libraries_are_imported_where_they_are_used(stage: str) -> None:
    """kg, and generation but for the judge, know nothing of torch and its kin; the judge imports them inside functions."""
    for path in sources(stage):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        found = {module.split(".")[0] for node in top for _, module in imports(ast.unparse(node))}
        assert not found & HEAVY, path


def test_the_reader_finds_what_breaks_the_order() -> None:
    source = "import kg.graph\nfrom generation import words\n\ndef f():\n    from training.rewards import x\n    import evaluation\n"
    assert wrong_way("generation", source, "a.py") == [
        "a.py:5: generation may not import training.rewards (kg <- generation <- training <- evaluation)",
        "a.py:6: generation may not import evaluation (kg <- generation <- training <- evaluation)",
    ]
    assert wrong_way("evaluation", source, "a.py") == []
    assert len(wrong_way("kg", source, "a.py")) == 3
