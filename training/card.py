"""What is saved beside a model: model card with data hashes, resolved recipe, versions, figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from training.folders import data_hash, environment, write_json, write_text
from training.recipe import as_yaml

_USE = """## Use
```python
from transformers import AutoModelForCausalLM, AutoTokenizer

from generation.prompt import SYSTEM_PROMPT, user_turn

tokenizer = AutoTokenizer.from_pretrained("{folder}")
model = AutoModelForCausalLM.from_pretrained("{folder}")
messages = [
    {{"role": "system", "content": SYSTEM_PROMPT}},
    {{
        "role": "user",
        "content": user_turn(
            "Which nerve innervates the superior oblique muscle?",
            ["trochlear nerve", "abducens nerve", "facial nerve", "vagus nerve"],
        ),
    }},
]
inputs = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
reply = model.generate(**inputs, max_new_tokens=1280, do_sample=False)
print(tokenizer.decode(reply[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))
```
"""


def write(folder: Path, stage: str, recipe: Any, files: Mapping[str, Path], figures: Mapping[str, Any]) -> None:
    """Write README.md, recipe.yaml and environment.json into a model folder. The card comes last: it marks the model as finished."""
    made = {"stage": stage, "data": data_hash(files), "figures": dict(figures), "versions": environment()}
    write_text(folder / "recipe.yaml", as_yaml(recipe))
    write_json(folder / "environment.json", made)
    before = _before(Path(str(getattr(recipe, "model", ""))))
    lines = [
        "---", "license: apache-2.0", "tags: [neuroscience, multiple-choice, reasoning]", "---",
        f"# Neuro-SI: {stage} model", "",
        f"Made by `python -m training {stage}` of Neuro-SI. The licence of the weights is that of the model it started from; the facts of the",
        "training data have licences of their own (see the data set's README).", "",
        f"Started from: `{getattr(recipe, 'model', None) or getattr(recipe, 'package', None) or 'random weights'}`{before}", "",
        "## Data", *(f"- {name}: sha256 {digest}..." for name, digest in made["data"].items()), "",
        "## Figures of the run", *(f"- {name}: {_show(value)}" for name, value in figures.items()), "",
        "Scores on held-out questions are made by `python -m evaluation`; they are not repeated here.", "",
        "## Versions", ", ".join(f"{name} {version}" for name, version in made["versions"].items()), "",
        "## Recipe", "```yaml", as_yaml(recipe).rstrip(), "```", "", _USE.format(folder=folder),
    ]  # fmt: skip
    write_text(folder / "README.md", "\n".join(lines))


def _before(source: Path) -> str:
    try:
        stage = json.loads((source / "environment.json").read_text(encoding="utf-8"))["stage"]
    except (OSError, ValueError, KeyError):
        return ""
    return f" (the {stage} model)"


def _show(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
