"""A small language model that is shown the options without the stem: which does it think most likely as text?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.config import Engine, Model, Sampling
from generation.shortcuts import Guess, Item, credit_of

NAME = "choices only, small model"
_BEFORE = "The answer to the question about the nervous system is"


def without_stem(place: str, items: Sequence[Item], batch: int = 64) -> Guess:
    """Credit for the option with the highest mean log-probability a token after a neutral beginning.

    Args:
        place: folder of a model that transformers can load.

    Raises:
        InputError: transformers is not installed, or the model cannot be loaded.
    """
    from evaluation.local import Local

    loaded = Local(Model("small model", place), Engine(), Sampling())
    texts = sorted({text for item in items for text in item["options"]}, key=lambda text: (len(text), text))
    likely: dict[str, float] = {}
    for start in range(0, len(texts), batch):
        some = texts[start : start + batch]
        likely.update(zip(some, _log_probs(loaded, some), strict=True))
    loaded.close()
    credit = [credit_of(item, [likely[text] for text in item["options"]]) for item in items]
    return Guess(NAME, np.array(credit, dtype=np.float64))


def _log_probs(loaded: object, texts: Sequence[str]) -> list[float]:
    """Mean log-probability a token of each text after the beginning."""
    torch, tokenizer, model = loaded.torch, loaded.tokenizer, loaded.model  # type: ignore[attr-defined]
    before = tokenizer(_BEFORE, add_special_tokens=False)["input_ids"]
    after = [tokenizer(" " + text, add_special_tokens=False)["input_ids"] for text in texts]
    longest = max(map(len, after))
    ids = torch.tensor([before + own + [0] * (longest - len(own)) for own in after], device=model.device)
    with torch.inference_mode():
        scores = model(input_ids=ids).logits.float().log_softmax(-1)
    found = []
    for row, own in enumerate(after):
        steps = [scores[row, len(before) - 1 + n, token].item() for n, token in enumerate(own)]
        found.append(sum(steps) / max(1, len(steps)))
    return found
