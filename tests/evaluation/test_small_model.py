"""A language model that is shown the options alone."""

from __future__ import annotations

import pytest

from evaluation.small_model import NAME, without_stem
from kg.errors import InputError


def test_a_model_that_knows_nothing_of_the_key_is_near_chance(tiny, items):
    guess = without_stem(str(tiny), items)
    assert guess.name == NAME
    assert set(guess.credit) <= {0.0, 0.25, 0.5, 1.0}
    assert 0.05 < guess.accuracy < 0.5


def test_the_batch_does_not_change_the_choice(tiny, items):
    assert (without_stem(str(tiny), items[:30], batch=7).credit == without_stem(str(tiny), items[:30]).credit).all()


def test_a_model_that_is_not_there_is_named(items, tmp_path):
    pytest.importorskip("transformers")
    with pytest.raises(InputError, match="small model"):
        without_stem(str(tmp_path), items[:3])
