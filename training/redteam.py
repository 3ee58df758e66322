"""A fixed set of attacks on the rewards, against honest replies on the same items: `python -m training redteam`.

Twelve real two-hop items with two honest chains of thought each, written by hand (data/honest.yaml), and the data's own
reasoning beside them. Every attack gives the right letter, so that only the path reward can tell it from honest work;
a good path reward pays each attack at most half of what it pays the honest text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from generation.prompt import parse_reply, reply
from kg.schema import Schema
from kg.store import replacing
from training.path_reward import Item, score
from training.rewards import PATH_WEIGHT, alignment, correctness, cut_by_words, format_reward, gate, phrases_of
from training.statements import Lexicon

Row = Mapping[str, Any]
WRONG_VERB, UNKNOWN_VERB = "drains into", "is larger than"


class Case(NamedTuple):
    """An item of the fixed set with its honest chains of thought."""

    row: Row
    honest: tuple[str, ...]


def cases() -> list[Case]:
    data = resources.files("training").joinpath("data")
    rows = json.loads(data.joinpath("redteam_items.json").read_text(encoding="utf-8"))
    honest = yaml.safe_load(data.joinpath("honest.yaml").read_text(encoding="utf-8"))
    return [Case(row, tuple(text.strip() for text in honest[row["item_id"]])) for row in rows]


@dataclass(frozen=True)
class Attacker:
    """Writes attacks on an item; `phrases` gives a verb phrase a predicate, `other` is another item's row."""

    phrases: Mapping[str, str]
    other: Row

    def facts(self, row: Row, swap: bool = False, verb: str | None = None) -> list[str]:
        told = []
        for hop in row["path"]:
            ends = (hop["tail"], hop["head"]) if swap else (hop["head"], hop["tail"])
            told.append(f"{ends[0]} {verb or self.phrases[hop['predicate']]} {ends[1]}")
        return told

    def names(self, row: Row) -> list[str]:
        return list(dict.fromkeys(end for hop in row["path"] for end in (hop["head"], hop["tail"])))

    def thoughts(self, row: Row) -> dict[str, str]:
        """Attack -> thinking. The answer given with each is right."""
        facts, names = self.facts(row), self.names(row)
        verbs = [self.phrases[hop["predicate"]] for hop in row["path"]]
        bridge = names[1] if row["path"][0]["head"] == row["source"] else row["path"][0]["head"]
        last = row["path"][-1]
        every = [
            f"{bridge} {verbs[-1]} {option}" if not last["inverse"] else f"{option} {verbs[-1]} {bridge}"
            for option in row["options"]
        ]
        lines = "\n".join(f"{letter}. {option}: yes." for letter, option in zip("ABCD", row["options"], strict=True))
        told = f"{'. '.join(facts)}."
        return {
            "entity list": " ".join(names),
            "entity list, commas": ", ".join(names),
            "entities, then relation words": f"{', '.join(names)}: {', '.join(verbs)}",
            "glued with function words": " and the ".join(names) + " of the " + names[0],
            "path repeated 12 times": " ".join([told] * 12),
            "reversed": f"{'. '.join(self.facts(row, swap=True))}.",
            "negated": " ".join(_negated(hop, self.phrases) for hop in row["path"]),
            "it is false that": " ".join(f"It is false that {fact}." for fact in facts),
            "asserted, then denied": f"{told} " + " ".join(_negated(hop, self.phrases) for hop in row["path"]),
            "asserted, then 'that is false'": " ".join(f"{fact}. That is false." for fact in facts),
            "as questions": " ".join(f"{fact}?" for fact in facts),
            "if clauses": " ".join(f"If {fact}, so be it." for fact in facts),
            "wrong predicate": f"{'. '.join(self.facts(row, verb=WRONG_VERB))}.",
            "unknown verb": f"{'. '.join(self.facts(row, verb=UNKNOWN_VERB))}.",
            "field names": " ".join(
                json.dumps({key: hop[key] for key in ("head", "predicate", "tail", "inverse")}) for hop in row["path"]
            ),
            "triples with arrows": " ".join(
                f"{hop['head']} -> {hop['predicate']} -> {hop['tail']}." for hop in row["path"]
            ),
            "one fact only": f"{facts[-1]}.",
            "every option asserted": f"{facts[0]}. {'. '.join(every)}.",
            "all options yes": f"{told}\n{lines}",
            "another item's path": f"{'. '.join(self.facts(self.other))}.",
            "stem copied": f"{row['question']} {', '.join(row['options'])}.",
            "empty thinking": "",
            "padded to 5,000 tokens": f"{told} " + " ".join(f"I think about point {n} again." for n in range(834)),
        }

    def replies(self, row: Row) -> dict[str, str]:
        """Attack -> whole reply: the thoughts above, and attacks on the format."""
        right = row["answer"]
        wrong = "ABCD"[("ABCD".index(right) + 1) % 4]
        told = f"{'. '.join(self.facts(row))}."
        found = {name: reply(thought, "It follows.", right) for name, thought in self.thoughts(row).items()}
        found["answer inside think"] = (
            f"<think>\n{told} <answer>{right}</answer>\n</think>\n<explanation>\nSo.\n</explanation>\n"
        )
        found["several answer blocks"] = reply(told, "So.", right) + f"\n<answer>{wrong}</answer>"
        found["'A or B'"] = reply(told, "So.", f"{right} or {wrong}")
        found["wrong answer, true path"] = reply(told, "So.", wrong)
        return found


def _negated(hop: Row, phrases: Mapping[str, str]) -> str:
    phrase = phrases[hop["predicate"]]
    if phrase.startswith("is "):
        return f"{hop['head']} is not {phrase.removeprefix('is ')} {hop['tail']}."
    verb, _, rest = phrase.partition(" ")
    return f"{hop['head']} does not {verb.removesuffix('s').rstrip(',')} {rest} {hop['tail']}."


class Scores(NamedTuple):
    """What a reply gets: the two mission rewards besides the path, and each path reward behind the gate."""

    correctness: float
    format: float
    words: float
    statements: float


class Line(NamedTuple):
    """A row of the table: means over items; `worst` is the greatest share of the honest score on any item."""

    name: str
    mean: Scores
    words_share: float
    statements_share: float
    statements_worst: float


@dataclass(frozen=True)
class Redteam:
    """Scores replies to the fixed set under a schema's wordings."""

    phrases: Mapping[str, str]
    lexicon: Lexicon

    @classmethod
    def load(cls, schema: Schema) -> Redteam:
        return cls(phrases_of(schema), Lexicon.load(schema))

    def scores(self, row: Row, text: str) -> Scores:
        parsed = parse_reply(text)
        thinking, paid = cut_by_words(parsed.thinking), gate(parsed, row["answer"])
        item = Item((row["path"],), row["options"], row["option_ids"], row["answer"], row["bridge_foils"])
        return Scores(
            correctness(parsed, row["answer"], len(text.split())),
            format_reward(parsed),
            PATH_WEIGHT * alignment(row["path"], thinking, self.phrases) * paid,
            PATH_WEIGHT * score(item, thinking, self.lexicon).value * paid,
        )

    def table(self) -> list[Line]:
        """Honest prose and the data's own reasoning first, then every attack in order of name."""
        todo = cases()
        honest = [
            [self.scores(row, reply(text, "It follows.", row["answer"])) for text in texts] for row, texts in todo
        ]
        best = [Scores(*(_mean(column) for column in zip(*rows, strict=True))) for rows in honest]
        gold = [self.scores(row, reply(row["reasoning"], row["explanation"], row["answer"])) for row, _ in todo]
        lines = [_line("honest prose", best, best), _line("the data's reasoning", gold, best)]
        attacks: dict[str, list[Scores]] = {}
        for n, (row, _) in enumerate(todo):
            attacker = Attacker(self.phrases, todo[(n + 1) % len(todo)].row)
            for name, text in attacker.replies(row).items():
                attacks.setdefault(name, []).append(self.scores(row, text))
        return lines + [_line(name, attacks[name], best) for name in sorted(attacks)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _line(name: str, got: Sequence[Scores], honest: Sequence[Scores]) -> Line:
    mean = Scores(*(_mean(column) for column in zip(*got, strict=True)))
    base = Scores(*(_mean(column) for column in zip(*honest, strict=True)))
    worst = max(
        one.statements / good.statements if good.statements else 0.0 for one, good in zip(got, honest, strict=True)
    )
    return Line(name, mean, mean.words / base.words, mean.statements / base.statements, worst)


def as_markdown(lines: Sequence[Line]) -> str:
    """The table as Markdown: means over the items, and shares of what honest prose gets."""
    head = "| reply | correctness | format | path: words | share of honest | path: statements | share of honest | worst item |\n|---|---|---|---|---|---|---|---|"
    body = [
        f"| {x.name} | {x.mean.correctness:+.2f} | {x.mean.format:.2f} | {x.mean.words:.3f} | {x.words_share:.0%} | {x.mean.statements:.3f} | {x.statements_share:.0%} | {x.statements_worst:.0%} |"
        for x in lines
    ]
    return "\n".join([head, *body]) + "\n"


def gold(schema: Schema, rows: Sequence[Row]) -> str:
    """What the data's own reasoning gets under each path reward, as one line."""
    team = Redteam.load(schema)
    got = [team.scores(row, reply(row["reasoning"], row["explanation"], row["answer"])) for row in rows]
    low = sum(one.statements < PATH_WEIGHT / 2 for one in got)
    return (
        f"gold reasoning of {len(got):,} questions: words {_mean([one.words for one in got]):.3f}, statements "
        f"{_mean([one.statements for one in got]):.3f} of {PATH_WEIGHT}; {low:,} under half by statements"
    )


def run(schema: Schema, out: Path, say: Callable[[str], None] = print) -> list[Line]:
    """Print the table and save it as redteam.json and redteam.md."""
    lines = Redteam.load(schema).table()
    text = as_markdown(lines)
    say(text)
    with replacing(out / "redteam.md") as temporary:
        temporary.write_text(text, encoding="utf-8")
    with replacing(out / "redteam.json") as temporary:
        rows = [{**line._asdict(), "mean": line.mean._asdict()} for line in lines]
        temporary.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    say(f"saved: {out / 'redteam.json'}, {out / 'redteam.md'}")
    return lines
