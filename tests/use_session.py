"""Later files of the pages' session."""

from pathlib import Path


def write_later(folder):
    """The first fifty patients again, the first of them with a BMI of 321 for 32.1."""
    lines = Path(folder, "echelon-demo", "diabetes.csv").read_text().splitlines()[:51]
    place = lines[0].split(",").index("bmi")
    cells = lines[1].split(",")
    cells[place] = f"{10 * float(cells[place]):g}"
    lines[1] = ",".join(cells)
    Path(folder, "new.csv").write_text("\n".join(lines) + "\n")
