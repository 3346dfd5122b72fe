"""``python -m echelon``: the same as the command ``echelon``."""

import sys

from echelon.cli import main

if __name__ == "__main__":
    sys.exit(main())
