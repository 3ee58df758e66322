"""`judge-report`: plant faults, have each judge read them among good items, count, keep the card."""

from __future__ import annotations

from generation.judge.card import Card, card, save_card
from generation.judge.config import ReportConfig, check_asking, check_bar, check_judges
from generation.judge.items import open_closure, read_split, shown, teller
from generation.judge.plant import planted
from generation.judge.published import publish
from generation.judge.run import Open, Session, open_backend
from generation.judge.shards import Shards
from kg.errors import InputError


def judge_report(config: ReportConfig, opener: Open = open_backend) -> list[Card]:
    """A card for each judge. A rerun asks nothing that was asked before.

    Raises:
        InputError: bad settings, no such model, server or split.
        ShortfallError: too few items for so many faults, or a server was lost.
    """
    check_judges(config.judges)
    check_asking(config.asking)
    check_bar(config.bar)
    if config.planted < 1 or config.good < 1:
        raise InputError(f"--planted and --good must be at least 1; they are {config.planted} and {config.good}")
    closure = open_closure(config.graph)
    mixed = planted(read_split(config.questions, config.split), closure, config.planted, config.good, config.seed)
    kinds = {one.row["item_id"]: one.kind for one in mixed}
    items = shown([one.row for one in mixed], teller(closure))
    cards = []
    for judge in config.judges:
        session = Session(
            judge, config.asking, Shards.open(config.questions, judge, config.asking), config.batch, opener
        )
        try:
            ran = session.run(items)
        finally:
            session.close()
        cards.append(card(judge, kinds, ran.rows))
        save_card(config.questions, judge, config.asking, cards[-1])
    publish(config.questions)
    return cards
