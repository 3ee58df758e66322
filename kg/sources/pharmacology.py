"""What a row of ligand-target data says, how strong it is, and what to do where rows disagree.

Pure rules for kg/sources/guide_to_pharmacology.py. A `Claim` is one row in our words; `settle` turns all claims
about one ligand and one target into facts:

- one sign only (activating or inhibiting): each predicate becomes a fact; the one with most rows may be asked;
- only partial agonism: `agonist_of` with a qualifier, and a `binds_to` that is never asked, because a partial
  agonist also antagonises (so it must not serve as a wrong answer for `antagonist_of` either);
- both signs: no sign is kept; `binds_to` and `modulates`, never asked, bar the pair from being a wrong answer.

What is strong enough to ask (`strong`): an approved drug, an endogenous ligand or a well-known tool compound or
toxin (ligands.tsv), at its primary target or with an affinity that is high in itself and within a factor of
the ligand's best. Everything else is kept, not asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

ACTIVATING = frozenset({"agonist_of", "potentiates", "activates"})
INHIBITING = frozenset({"antagonist_of", "inhibits", "blocks"})
PARTIAL = "as a partial agonist"

# pK values (-log10 of molar Ki, IC50, EC50 or Kd): 8 is 10 nM, 7 is 100 nM.
DRUG_AFFINITY, DRUG_WITHIN = 8.0, 1.0
KNOWN_AFFINITY, KNOWN_WITHIN = 7.0, 1.0
ENDOGENOUS_WITHIN = 2.0

# (type of ligand, action) -> predicate; an empty action stands for any other.
_BY_TYPE: dict[str, dict[str, str]] = {
    "Agonist": {"Inverse agonist": "antagonist_of", "Antagonist": "antagonist_of", "Binding": "binds_to",
                "Unknown": "binds_to", "Mixed": "binds_to", "None": "binds_to", "": "agonist_of"},
    "Antagonist": {"Binding": "binds_to", "Mixed": "binds_to", "Full agonist": "agonist_of", "Agonist": "agonist_of",
                   "": "antagonist_of"},
    "Antibody": {"Antagonist": "antagonist_of", "Inhibition": "inhibits", "Agonist": "agonist_of", "": "binds_to"},
    "Allosteric modulator": {
        "Positive": "potentiates", "Potentiation": "potentiates", "Activation": "potentiates",
        "Full agonist": "potentiates", "Partial agonist": "potentiates", "Agonist": "potentiates",
        "Negative": "inhibits", "Inhibition": "inhibits", "Inverse agonist": "inhibits", "Antagonist": "antagonist_of",
        "": "binds_to",
    },
    "Activator": {"Inhibition": "inhibits", "Binding": "binds_to", "Potentiation": "potentiates",
                  "Positive": "potentiates", "": "activates"},
    "Channel blocker": {"Agonist": "binds_to", "": "blocks"},
    "Gating inhibitor": {"Slows inactivation": "modulates", "": "inhibits"},
    "Inhibitor": {"Binding": "binds_to", "Unknown": "binds_to", "Potentiation": "binds_to", "": "inhibits"},
    "Subunit-specific": {"Inhibition": "inhibits", "Potentiation": "potentiates", "": "modulates"},
}  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """One row: the ligand acts on the target in this way.

    Attributes:
        predicate: of the schema. partial: partial agonism. affinity: pK or None. primary: the source calls it the
            ligand's primary target. approved, endogenous: of the ligand. pmids: as the source gives them.
    """

    predicate: str
    partial: bool
    affinity: float | None
    primary: bool
    approved: bool
    endogenous: bool
    pmids: tuple[str, ...] = ()


class Settled(NamedTuple):
    """A fact about one ligand and one target."""

    predicate: str
    qualifier: str | None
    askable: bool
    pmid: str | None


def predicate_for(kind: str, action: str) -> str:
    """The schema's predicate for a row's `type` and `action`; `binds_to` where they say nothing."""
    table = _BY_TYPE.get(kind)
    return "binds_to" if table is None else table.get(action, table[""])


def strong(claims: Sequence[Claim], best: float | None, known: bool) -> bool:
    """Whether the claims make exam material.

    Args:
        best: the ligand's highest affinity at any target. known: the ligand stands in ligands.tsv.
    """
    affinity = max((c.affinity for c in claims if c.affinity is not None), default=None)
    behind = 0.0 if affinity is None or best is None else best - affinity
    if any(c.endogenous for c in claims) and known:
        return behind <= ENDOGENOUS_WITHIN
    if any(c.approved for c in claims):
        high = affinity is not None and affinity >= DRUG_AFFINITY and behind <= DRUG_WITHIN
        return high or any(c.primary for c in claims)
    if not known:
        return False
    high = affinity is None or (affinity >= KNOWN_AFFINITY and behind <= KNOWN_WITHIN)
    return high or (any(c.primary for c in claims) and behind <= KNOWN_WITHIN)


def settle(claims: Sequence[Claim], ask: bool, dropped: Counter[str]) -> list[Settled]:
    """Facts from all claims about one ligand and one target. `ask`: what `strong` and the label checks allow."""
    said = Counter(c.predicate for c in claims)
    signs = {p for p in said if p in ACTIVATING}, {p for p in said if p in INHIBITING}
    if all(signs):
        dropped["contradictory actions (kept as binding, not asked)"] += 1
        return [Settled(p, None, False, _pmid(claims, None)) for p in ("binds_to", "modulates")]
    signed = sorted(signs[0] | signs[1], key=lambda p: (-said[p], p))
    if not signed:
        return [Settled(p, None, False, _pmid(claims, p)) for p in sorted(said)]
    if "blocks" in signed and "inhibits" in signed:  # a blocker inhibits: one fact says both
        signed.remove("inhibits")
    partial = all(c.partial for c in claims if c.predicate == "agonist_of")
    facts = []
    for place, predicate in enumerate(signed):
        qualifier = PARTIAL if predicate == "agonist_of" and partial else None
        facts.append(Settled(predicate, qualifier, ask and place == 0, _pmid(claims, predicate)))
        if qualifier:
            facts.append(Settled("binds_to", None, False, _pmid(claims, predicate)))
    return facts


def _pmid(claims: Sequence[Claim], predicate: str | None) -> str | None:
    """The lowest PubMed id that the source gives for the fact, so that rebuilding gives the same one."""
    ids = {pmid for c in claims if predicate in (None, c.predicate) for pmid in c.pmids}
    return f"PMID:{min(ids, key=int)}" if ids else None
