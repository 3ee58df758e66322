"""build/questions/ on disk: columns and metadata of the contract, whole files or none, loadable by datasets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation import card, files, report
from generation.item import ITEM
from generation.make import Config, Made
from kg.build import LAYERS, PROFILES
from kg.errors import InputError
from kg.sources import core_facts, go, guide_to_pharmacology, hpo, uniprot
from tests.conftest import SMALL_CONFIG
from tests.hand_items import item

COLUMNS = (
    "item_id split hops question options answer reasoning explanation path_id path source_id source target_id target bridge_ids "
    "bridge_foils option_ids option_proofs option_evidence metapath topic skeleton seed"
)
HOP = "edge_id head_id head predicate tail_id tail inverse qualifier head_synonyms tail_synonyms layer source license reference"
META = files.metadata(Config(seed=7), "abc")


@pytest.fixture
def folder(small_made: Made, tmp_path: Path) -> Path:
    """What the main job writes about the small graph."""
    files.write_all(tmp_path, small_made.items, META)
    data = report.report(small_made, [], "proved, not judged", META)
    files.write_text(tmp_path / "README.md", card.card(data))
    return tmp_path


def test_columns_are_those_of_the_contract() -> None:
    assert ITEM.names == COLUMNS.split()
    assert [field.name for field in ITEM.field("path").type.value_type] == HOP.split()
    assert (ITEM.field("hops").type, ITEM.field("seed").type, ITEM.field("options").type) == (
        pa.int8(),
        pa.int64(),
        pa.list_(pa.string()),
    )


def test_rows_are_read_back_as_written(tmp_path: Path) -> None:
    files.write_split(tmp_path / "test.parquet", [item(), item(item_id="x")], META)
    assert files.read_items(tmp_path / "test.parquet") == [item(), item(item_id="x")]


def test_an_empty_split_has_the_schema(tmp_path: Path) -> None:
    files.write_split(tmp_path / "test.parquet", [], META)
    assert files.read_items(tmp_path / "test.parquet") == []
    assert pq.read_schema(tmp_path / "test.parquet").names == ITEM.names


def test_file_metadata_says_what_the_bytes_depend_on_and_nothing_else(tmp_path: Path) -> None:
    files.write_split(tmp_path / "test.parquet", [item()], META)
    meta = {key.decode(): value.decode() for key, value in pq.read_schema(tmp_path / "test.parquet").metadata.items()}
    assert set(meta) == {"schema_version", "config", "graph_sha256", "seed", "code_version"}
    assert (meta["graph_sha256"], meta["seed"]) == ("abc", "7")
    config = json.loads(meta["config"])
    assert config["sizes"] == {"sft_single": None, "sft": None, "grpo": None, "test": None}
    assert not {"workers", "out", "graph", "time"} & set(config)


def test_a_row_of_another_form_is_an_error(tmp_path: Path) -> None:
    with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
        files.write_split(tmp_path / "test.parquet", [item(hops="two")], META)
    assert list(tmp_path.iterdir()) == []


def test_the_test_set_as_plain_json(folder: Path, small_made: Made) -> None:
    rows = json.loads((folder / "neurobench_test_set.json").read_text(encoding="utf-8"))
    assert [row["item_id"] for row in rows] == [one["item_id"] for one in small_made.items["test"]]
    assert set(rows[0]) == {"item_id", "question", "options", "answer", "reasoning", "explanation", "path"}
    assert set(rows[0]["path"][0]) == {"head", "predicate", "tail", "inverse", "qualifier"}


def test_datasets_loads_the_three_splits(
    folder: Path, small_made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    datasets = pytest.importorskip("datasets", reason="datasets is not installed (pip install -e .[dev])")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {name: len(loaded[name]) for name in loaded} == {
        name: len(small_made.items[name]) for name in ("sft", "grpo", "test")
    }
    assert loaded["test"][0] == small_made.items["test"][0]


def test_the_card_sums_up_licences_and_splits(folder: Path, small_made: Made) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("---\nlanguage: en\n")
    assert f"| test | {len(small_made.items['test'])} | 0 | {len(small_made.items['test'])} |" in text
    assert f"| grpo | Apache-2.0 | {len(small_made.items['grpo'])} | publish freely; keep LICENSE and NOTICE" in text
    assert "- **test**: may be published under terms of your choice, with the attributions above." in text
    assert "--profile open" not in text
    assert "grpo_reserve" not in text.split("---")[1]


def test_the_card_says_what_binds_a_split(small_made: Made) -> None:
    """One fact of a share-alike or an unknown source binds its split and no other."""
    data = report.report(small_made, [], "not judged", files.metadata(SMALL_CONFIG, "x"))
    data["counts"]["sft"]["license"] = {"Apache-2.0": 40, "ODbL-1.0 AND CC-BY-SA-4.0": 1, "mine": 2}
    text = card.card(data)
    assert "| sft | ODbL-1.0 AND CC-BY-SA-4.0 | 1 | publish only under the same licences" in text
    assert "| sft | mine | 2 | not known to Neuro-SI" in text
    assert "- **sft**: is bound by ODbL-1.0 AND CC-BY-SA-4.0 and mine." in text
    assert "- **test**: may be published under terms of your choice" in text
    assert "build the graph with `--profile open`" in text


@pytest.mark.parametrize("name", LAYERS)
def test_the_card_knows_the_terms_of_every_layer(name: str) -> None:
    """What binds nobody is what the open profile holds."""
    licences = {one.NAME: one.SOURCE.license for one in (go, guide_to_pharmacology, uniprot)}
    licences |= {"core": core_facts.LICENSE, hpo.NAME: hpo.LICENSE}
    assert card.TERMS[licences[name]].free == (name in PROFILES["open"])


# --- faults ------------------------------------------------------------------------------------------------------------


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.parquet: cannot be read as Parquet: .*; run `make questions`"):
        files.read_items(tmp_path / "x.parquet")


@pytest.mark.parametrize("content", [b"", b"{}", b"PAR1" * 10])
def test_a_file_that_is_no_parquet(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.parquet: cannot be read as Parquet"):
        files.read_items(tmp_path / "x.parquet")


def test_a_table_of_something_else(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="column 'item_id' is missing: not a table of questions"):
        files.read_items(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("options", [["a", "b", "c"]], "row 0: 'options' has 3 entries, not 4; run `make questions`"),
        ("option_proofs", [None], "row 0: 'option_proofs' has 0 entries, not 4"),
        ("hops", ["two"], "column 'hops' holds string, not int8: not a table of questions"),
        ("path", ["x"], "column 'path' holds string, not list"),
    ],
)
def test_a_table_with_the_right_names_and_other_contents(
    tmp_path: Path, column: str, values: list[object], message: str
) -> None:
    files.write_split(tmp_path / "test.parquet", [item()], META)
    table = pq.read_table(tmp_path / "test.parquet")
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, column, pa.array(values)), tmp_path / "test.parquet")
    with pytest.raises(InputError, match=re.escape(message)):
        files.read_items(tmp_path / "test.parquet")


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made: Not a directory; choose another folder with --out"):
        files.prepare(tmp_path / "file" / "out")


def test_a_folder_of_the_system() -> None:
    with pytest.raises(InputError, match="cannot be"):
        files.prepare(Path("/proc/questions"))


def test_leftovers_are_swept_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".sft.parquet.x1.tmp").write_text("half")
    (tmp_path / "mine.txt").write_text("whole")
    files.prepare(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def full(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code that writes items to `folder`."""
    start = "import random, sys; from pathlib import Path; from generation import files; from kg.errors import InputError; from tests.hand_items import item\n"
    return subprocess.run(
        [sys.executable, "-c", start + code, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


WRITE = """
rows = [item(item_id=str(n), reasoning=random.Random(n).randbytes(2000).hex()) for n in range(400)]
try:
    files.write_split(Path(sys.argv[1]) / "test.parquet", rows, {})
except InputError as error:
    print(error)
    sys.exit(error.exit_code)
"""


def test_a_disk_that_takes_no_more(tmp_path: Path) -> None:
    """The kernel refuses a file over 20 kB."""
    (tmp_path / "test.parquet").write_text("old")
    ran = full("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))" + WRITE, tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "")
    assert "test.parquet: cannot be written: " in ran.stdout
    assert "free space or choose another folder" in ran.stdout
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("test.parquet", "old")]


def test_files_of_a_set_take_their_names_together_or_not_at_all(tmp_path: Path) -> None:
    """The last of them does not fit: the older set stays whole."""
    files.write_all(tmp_path, {"sft": [item()], "test": [item()]}, META, {"report.html": "old"})
    old = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(old) == {"sft.parquet", "test.parquet", "neurobench_test_set.json", "report.html"}
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
try:
    files.write_all(Path(sys.argv[1]), {"sft": [], "test": []}, {}, {"report.html": "new" * 100000})
except InputError as error:
    print(error)
    sys.exit(error.exit_code)
"""
    ran = full(code, tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "")
    assert "report.html: cannot be written: " in ran.stdout
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == old


def test_a_full_disk(tmp_path: Path) -> None:
    """A real file system of 64 kB, where this process may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mount.returncode or os.statvfs(disk).f_blocks * os.statvfs(disk).f_frsize > 1 << 20:
        pytest.skip("this process may not mount a small file system")
    try:
        ran = full(WRITE, disk)
        left = list(disk.iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert (ran.returncode, ran.stderr) == (2, "")
    assert "test.parquet: cannot be written: " in ran.stdout
    assert "No space left on device" in ran.stdout
    assert left == []
