"""``make release-check``: build what a release consists of, and use it as a stranger would.

1. sdist and wheel are built, the wheel from the sdist, and their metadata checked (twine);
2. they contain what they must, and nothing else;
3. the wheel is installed in a fresh environment, away from the repository, and ``smoke`` run there,
   first without extras;
4. ``client`` is checked by mypy, strictly, against the types of the installed wheel.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]

# A * stands for folders, too.  Every file must match a pattern, and every pattern a file.
SDIST = (
    ".gitignore", "CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md",
    "LICENSE", "Makefile", "PKG-INFO", "README.md", "SECURITY.md", "conftest.py", "pyproject.toml",
    "benchmarks/*.py", "docs/*.md", "docs/*.py", "docs/_site/static/*.css",
    "docs/_templates/autosummary/*.rst", "docs/images/*.png", "docs/index.rst", "examples/*.py",
    "examples/gallery/README.rst", "papers/*.py", "release/*.py", "src/echelon/*.py",
    "src/echelon/cli/app/static/*.*", "src/echelon/datasets/data/*", "src/echelon/py.typed",
    "src/echelon/report/templates/report.*", "tests/*.py", "tests/app/evil.html",
)  # fmt: skip
WHEEL = (
    "echelon/*.py", "echelon/cli/app/static/*.*", "echelon/datasets/data/*", "echelon/py.typed",
    "echelon/report/templates/report.*",
    "echelon-*.dist-info/METADATA", "echelon-*.dist-info/RECORD", "echelon-*.dist-info/WHEEL",
    "echelon-*.dist-info/entry_points.txt", "echelon-*.dist-info/licenses/LICENSE",
)  # fmt: skip


def problems(names: list[str], patterns: tuple[str, ...], needed: set[str]) -> list[str]:
    """What is there and should not be, and what should be and is not."""
    unknown = [n for n in names if not any(fnmatchcase(n, p) for p in patterns)]
    absent = [p for p in patterns if not any(fnmatchcase(n, p) for n in names)]
    return [
        *(f"{name} should not be in it" for name in unknown),
        *(f"no {pattern} is in it" for pattern in absent),
        *(f"{name} is missing" for name in sorted(needed - set(names))),
    ]


def package_files(root: Path) -> set[str]:
    """Every file of the package, by its path below ``src``."""
    src = root / "src"
    paths = (path.relative_to(src) for path in (src / "echelon").rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if "__pycache__" not in path.parts}


def names_in(archive: Path) -> list[str]:
    """The files of an sdist, without its folder, or of a wheel."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return [name for name in wheel.namelist() if not name.endswith("/")]
    with tarfile.open(archive) as sdist:
        return [member.name.partition("/")[2] for member in sdist if member.isfile()]


def check_contents(sdist: Path, wheel: Path) -> None:
    """End the run where an archive has too little or too much."""
    files = package_files(ROOT)
    found = {
        sdist.name: problems(names_in(sdist), SDIST, {f"src/{name}" for name in files}),
        wheel.name: problems(names_in(wheel), WHEEL, files),
    }
    if any(found.values()):
        sys.exit("\n".join(f"{name}: {line}" for name, lines in found.items() for line in lines))


def call(*args: str | Path, cwd: Path = ROOT) -> None:
    """Run a program that must succeed, and that knows nothing of this repository."""
    unset = ("PYTHONPATH", "MYPYPATH", "VIRTUAL_ENV")
    env = {key: value for key, value in os.environ.items() if key not in unset}
    if subprocess.run(args, cwd=cwd, env=env, check=False).returncode:
        sys.exit(f"failed: {' '.join(map(str, args))}")


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel made from it."""
    call(sys.executable, "-m", "build", "--quiet", "--outdir", folder, ROOT)
    sdist, wheel = next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))
    call(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    return sdist, wheel


def use(wheel: Path, folder: Path) -> None:
    """Install the wheel where nothing else is, and use it."""
    scripts, empty, python = folder / "scripts", folder / "empty", folder / "env" / "bin" / "python"
    venv.create(folder / "env", with_pip=True)
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    scripts.mkdir()
    empty.mkdir()
    for name in ("release/smoke.py", "release/client.py", "tests/estimator_cases.py"):
        shutil.copy(ROOT / name, scripts)
    call(*install, wheel)
    call(python, scripts / "smoke.py", "bare", cwd=empty)
    call(*install, f"{wheel}[cli,plot,report]")
    call(python, scripts / "smoke.py", cwd=empty)
    # After the package was used: what mypy brings along could stand in for a missing dependency.
    call(*install, "mypy", "pandas-stubs")
    call(python, "-m", "mypy", "--strict", scripts / "client.py", cwd=scripts)


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        sdist, wheel = build(folder / "dist")
        check_contents(sdist, wheel)
        print(f"{sdist.name}: {len(names_in(sdist))} files; {wheel.name}: {len(names_in(wheel))}")
        use(wheel, folder)
    print("Ready for release.")
