"""Files the command writes: whole, and never over another one unasked."""

import json
import os
from pathlib import Path

import pytest

from cli_cases import ORDER, call
from echelon._core.files import write_whole
from echelon.cli import _rank


def test_nothing_is_overwritten_without_force(credit, tmp_path, capsys):
    out = tmp_path / "ranking.json"
    quick = ("-m", "rankcorrelation", "--cv", 2)
    arguments = ("rank", credit, "-t", "grade", *ORDER, "-n", 1, *quick, "-o", out)
    out.write_text("mine")
    call(capsys, *arguments).check_refused("exists already", "--force")
    assert out.read_text() == "mine"
    assert call(capsys, *arguments, "--force").code == 0
    assert json.loads(out.read_text())[0]["feature"] == "income"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["credit.csv", "ranking.json"]


def test_outputs_are_checked_before_the_work(credit, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_rank, "prepare", lambda *_: pytest.fail("the data were read"))
    for name, fragment in (
        ("no/such/folder.csv", "no folder"),
        (".", "must end in"),
        ("credit.csv", "exists already"),
    ):
        path = tmp_path / name
        call(capsys, "rank", credit, "-t", "grade", "-o", path).check_refused(fragment)
    both = ("--report", tmp_path / "x.json", "-o", tmp_path / "x.json")
    call(capsys, "rank", credit, "-t", "grade", *both).check_refused("same file")
    own = ("-o", credit, "--force")
    call(capsys, "rank", credit, "-t", "grade", *own).check_refused("the data file itself")


def test_links_that_lead_in_a_circle(credit, tmp_path, capsys):
    loop, back = tmp_path / "loop.csv", tmp_path / "back.csv"
    loop.symlink_to(back)
    back.symlink_to(loop)
    for path in (loop, loop / "x.csv"):
        done = call(capsys, "rank", credit, "-t", "grade", "-o", path)
        done.check_refused("leads back to itself")
    done = call(capsys, "rank", loop, "-t", "grade", "-o", tmp_path / "x.csv")
    done.check_refused("loop.csv")


def test_files_are_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "page.html"

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "half")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert write_whole(path, "whole").read_text() == "whole"
    with pytest.raises(FileExistsError):
        write_whole(path, "again")
    link = tmp_path / "link.html"
    link.symlink_to(path)
    write_whole(link, "through the link", overwrite=True)
    assert link.is_symlink()
    assert path.read_text() == "through the link"


def test_a_file_that_appears_meanwhile_is_left_alone(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    monkeypatch.setattr(os, "fsync", lambda _: path.write_text("someone else's"))
    with pytest.raises(FileExistsError):
        write_whole(path, "mine")
    assert path.read_text() == "someone else's"
    assert list(tmp_path.iterdir()) == [path]


def test_devices_are_written_to(capsys, credit):
    assert write_whole("/dev/null", "x") == Path("/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_reports_by_their_ending(ending, credit, tmp_path, capsys):
    path = tmp_path / f"report.{ending}"
    quick = ("-m", "rankcorrelation", "--cv", 2)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, *quick, "--report", path)
    assert f"Wrote {path}" in done.out
    begins = {"html": "<!doctype html>", "md": "#", "json": "{"}[ending]
    assert path.read_text().startswith(begins)
