"""Guide to Pharmacology 2020-5: which drug, transmitter or toxin acts how on which receptor, channel or enzyme.

The rows come from the CSV files in the source distribution of scConnect 1.0.3 (its code is not used). People decided
three tables beside the derived ones:

    targets.tsv   the targets in scope (nervous system), what we call them, which complex a subunit acts as
                  (`acts_as`), which wider kind it is (`kind`), and the gene where one gene makes the protein
    ligands.tsv   what we call endogenous ligands (`5-hydroxytryptamine` -> serotonin), and the well-known
                  tool compounds and toxins that may be asked besides approved drugs
    asked.tsv     pairs that the rules would ask and a reader would not (ask = 0), and the reverse (1); `*` is any

Human targets only. kg/sources/pharmacology.py says how rows become facts. `load()` reads the derived tables;
`make()` rebuilds them (kg/sources/derive.py).
"""

from __future__ import annotations

import csv
import io
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kg.errors import InputError
from kg.graph import Complete, Fact, Layer, Node, edge_id
from kg.names import slug
from kg.sources import clean, derived
from kg.sources.gene_names import symbol_shows
from kg.sources.pharmacology import Claim, predicate_for, settle, strong
from kg.sources.pharmacology_tables import Known, Target, asked, ligands, targets

NAME = "guide_to_pharmacology"
SOURCE = derived.Source(
    source="Guide to Pharmacology 2020-5",
    license="ODbL-1.0 AND CC-BY-SA-4.0",
    attribution="IUPHAR/BPS Guide to PHARMACOLOGY, https://www.guidetopharmacology.org; database under the Open "
    "Database License 1.0, contents under Creative Commons Attribution-ShareAlike 4.0",
    changes="human targets of the nervous system only; labels cleaned and unified; rows about one ligand and "
    "one target merged; contradictory rows reduced to binding",
    url="https://www.guidetopharmacology.org/download.jsp",
    date="2020-11",
    package="scConnect==1.0.3 (source distribution, PyPI)",
    command="python -m kg derive guide_to_pharmacology scConnect-1.0.3.tar.gz",
)
_RELEASE = "GTP_tables/2020-5"
_STEREO = re.compile(r"^(?:\(\s*(?:[-+±]|[RSEZ]{1,2}|[+±-]/[+±-]|cis|trans|rac)\s*\)-?)+(?=\w)")
_RADIOLABEL = re.compile(r"^\[?\(?(?:3H|125I|123I|11C|14C|18F|35S|32P|33P|64Cu|68Ga|111In|99mTc|177Lu|90Y)\b")
_TOXIN = re.compile(r"toxin\b|toxin[- ]|^phrixo|^hana|tityus|agatoxin|conotoxin", re.I)
_CHEMOKINE = re.compile(r"^(?:CX?3?CL\d|XCL)")


def load() -> Layer:
    """The layer from its derived tables."""
    return derived.read(NAME)


def make(package: Path) -> tuple[Layer, dict[tuple[str, str], str]]:
    """The layer from scConnect's source distribution (a .tar.gz, or the folder it unpacks to).

    Raises:
        InputError: the package does not hold the release.
    """
    here = derived.folder(NAME)
    maker = _Maker(targets(here / "targets.tsv"), ligands(here / "ligands.tsv"), asked(here / "asked.tsv"))
    about = {row["Ligand id"]: row for row in _rows(package, "ligands.csv")}
    for row in _rows(package, "interactions.csv"):
        maker.take(row, about.get(row["ligand_id"], {}))
    return maker.layer()


def _rows(package: Path, name: str) -> Iterator[dict[str, str]]:
    if package.is_dir():
        found = sorted(package.rglob(f"{_RELEASE}/{name}"))
        text = found[0].read_text(encoding="utf-8-sig") if found else None
    else:
        with tarfile.open(package) as archive:
            members = [m for m in archive.getmembers() if m.name.endswith(f"{_RELEASE}/{name}")]
            stream = archive.extractfile(members[0]) if members else None
            text = stream.read().decode("utf-8-sig") if stream else None
    if text is None:
        raise InputError(f"{package}: holds no {_RELEASE}/{name}; give the source distribution of scConnect 1.0.3")
    yield from csv.DictReader(io.StringIO(text))


@dataclass
class _Ligand:
    label: str
    category: str
    names: set[str] = field(default_factory=set)
    known: bool = False
    kind: str = ""


class _Maker:
    """Collects claims row by row, then writes nodes, facts and completeness rows."""

    def __init__(self, targets: dict[str, Target], known: dict[str, Known], asked: dict[tuple[str, str], bool]) -> None:
        self.targets, self.known, self.asked = targets, known, asked
        self.labels = {t.label: t for t in targets.values()}
        self.claims: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        self.ligands: dict[str, _Ligand] = {}
        self.dropped: Counter[str] = Counter()
        self.nodes: dict[str, Node] = {}
        self.facts: dict[str, Fact] = {}

    # --- rows ---

    def take(self, row: dict[str, str], about: dict[str, str]) -> None:
        target = self.targets.get(row["target_id"])
        name = clean.label(row["ligand"])
        reason = self._reject(row, about, target, name)
        if reason:
            self.dropped[reason] += 1
            return
        assert target is not None
        approved = "yes" in (about.get("Approved"), about.get("Withdrawn")) or row["approved_drug"] == "t"
        ligand = self._ligand(name, row, target, approved)
        self.claims[ligand, target.acts_as or target.label].append(
            Claim(
                predicate_for(row["type"], row["action"]),
                row["action"] == "Partial agonist",
                _number(row["affinity_median"]) or _number(row["affinity_high"]),
                row["primary_target"] == "t",
                approved,
                row["endogenous"] == "t" and row["ligand_species"] in ("", *_with_human(row["ligand_species"])),
                tuple(p for p in row["pubmed_id"].split("|") if p.isdigit()),
            )
        )

    def _reject(self, row: dict[str, str], about: dict[str, str], target: Target | None, name: str) -> str | None:
        if target is None:
            return "target outside the nervous system"
        if row["target_species"] != "Human":
            return "target not human"
        if about.get("Labelled") == "yes" or _RADIOLABEL.search(name):
            return "labelled ligand"
        return clean.reject_reason(name)

    def _ligand(self, name: str, row: dict[str, str], target: Target, approved: bool) -> str:
        """The id of the ligand; the first row makes it, later rows add names and standing."""
        known = self.known.get(name)
        plain = _STEREO.sub("", name)  # enantiomers are one ligand: as options they would be twins
        known = known or self.known.get(plain)
        label = known.label if known else plain
        ligand = self.ligands.setdefault(f"gtopdb:{slug(label)}", _Ligand(label, ""))
        ligand.names.update({plain, *(known.synonyms if known else ())})
        ligand.known |= known is not None
        ligand.kind = known.kind if known else ligand.kind
        if known and known.category:
            ligand.category = known.category
        elif not ligand.category:
            ligand.category = _category(label, row, target, approved)
        return f"gtopdb:{slug(label)}"

    # --- facts ---

    def layer(self) -> tuple[Layer, dict[tuple[str, str], str]]:
        complete, notes = self._proteins()
        best: dict[str, float] = {}
        for (ligand, _), claims in self.claims.items():
            values = [c.affinity for c in claims if c.affinity is not None]
            best[ligand] = max([*values, best.get(ligand, 0.0)])
        for (ligand, target), claims in sorted(self.claims.items()):
            self._act(ligand, target, claims, best.get(ligand))
        for key in sorted({ligand for ligand, _ in self.claims}):
            self._ligand_node(key)
        nodes = [self.nodes[key] for key in sorted(self.nodes)]
        facts = [self.facts[key] for key in sorted(self.facts)]
        return Layer(NAME, nodes, facts, self.dropped, complete), notes

    def _act(self, key: str, target: str, claims: list[Claim], best: float | None) -> None:
        ligand, protein = self.ligands[key], self._id(target)
        ask = strong(claims, best or None, ligand.known)
        read = [self.asked.get(pair) for pair in ((ligand.label, target), (ligand.label, "*"), ("*", target))]
        decided = next((answer for answer in read if answer is not None), ask)
        if ask and not decided:
            self.dropped["not exam material, as read in asked.tsv (kept, not asked)"] += 1
        ask = decided
        if ask and clean.gives_away(ligand.names | {ligand.label}, self._target_names(target)):
            self.dropped["one label gives the other away (kept, not asked)"] += 1
            ask = False
        for fact in settle(claims, ask, self.dropped):
            self._fact(key, fact.predicate, protein, fact.askable, fact.qualifier, fact.pmid)

    def _target_names(self, label: str) -> set[str]:
        target = self.labels.get(label)
        return {label, *(target.synonyms if target else ())}

    def _proteins(self) -> tuple[list[Complete], dict[tuple[str, str], str]]:
        """Protein and gene nodes, with encoded_by, subunit_of and is_a facts and the lists that are complete."""
        complete: list[Complete] = []
        notes: dict[tuple[str, str], str] = {}
        for target in sorted(self.targets.values(), key=lambda t: int(t.id)):
            protein = self._protein(target)
            if target.acts_as and target.acts_as != target.label:
                self._fact(protein, "subunit_of", self._complex(target), askable=False)
            if target.kind:
                self._fact(protein, "is_a", self._class(target), askable=False)
            if target.symbol:
                gene = f"gene:{target.symbol}"
                self.nodes[gene] = self._node(gene, target.symbol, "gene")
                shown = symbol_shows(target.symbol, {target.label, *target.synonyms})
                self._fact(protein, "encoded_by", gene, askable=not shown)
                complete.append(Complete(protein, "encoded_by", "forward", f"{SOURCE.source}, target {target.id}"))
                notes[protein, "encoded_by"] = f"one gene, {target.symbol}"
        return complete, notes

    def _protein(self, target: Target) -> str:
        key = self._id(target.label)
        xrefs = (f"symbol:{target.symbol}",) if target.symbol else ()
        self.nodes[key] = self._node(key, target.label, target.category, target.synonyms, xrefs)
        return key

    def _complex(self, target: Target) -> str:
        key = self._id(target.acts_as)
        own = self.labels.get(target.acts_as)
        category = own.category if own else "transporter" if "ATPase" in target.acts_as else "neurotransmitter_receptor"
        self.nodes.setdefault(key, self._node(key, target.acts_as, category))
        return key

    def _class(self, target: Target) -> str:
        key = self._id(target.kind)
        self.nodes.setdefault(key, self._node(key, target.kind, target.category))
        return key

    def _ligand_node(self, key: str) -> None:
        ligand = self.ligands[key]
        synonyms = {name for name in ligand.names if clean.same_key(name) != clean.same_key(ligand.label)}
        self.nodes[key] = self._node(key, ligand.label, ligand.category, tuple(sorted(synonyms)))
        if ligand.kind:
            wide = self._id(ligand.kind)
            self.nodes.setdefault(wide, self._node(wide, ligand.kind, ligand.category))
            self._fact(key, "is_a", wide, askable=False)

    def _node(
        self, key: str, label: str, category: str, synonyms: tuple[str, ...] = (), xrefs: tuple[str, ...] = ()
    ) -> Node:
        return Node(key, label, category, synonyms, xrefs, None, SOURCE.source, SOURCE.license)

    def _id(self, label: str) -> str:
        return f"gtopdb:{slug(label)}"

    def _fact(
        self, head: str, predicate: str, tail: str, askable: bool, qualifier: str | None = None, pmid: str | None = None
    ) -> None:
        key = edge_id(NAME, head, predicate, tail, qualifier)
        self.facts[key] = Fact(
            key, head, predicate, tail, NAME, SOURCE.source, SOURCE.license, qualifier, pmid, False, askable
        )


def _number(text: str) -> float | None:
    return float(text) if text else None


def _with_human(species: str) -> tuple[str, ...]:
    return (species,) if "Human" in species.split("|") else ()


def _category(label: str, row: dict[str, str], target: Target, approved: bool) -> str:
    """The category of a ligand that ligands.tsv does not name."""
    if _TOXIN.search(label):
        return "toxin"
    if approved or row["type"] == "Antibody":
        return "drug"
    if row["endogenous"] != "t":
        return "chemical"
    if _CHEMOKINE.match(label):
        return "signalling_protein"
    if row["ligand_species"]:
        return "neuropeptide" if target.category == "neurotransmitter_receptor" else "hormone"
    return "metabolite"
