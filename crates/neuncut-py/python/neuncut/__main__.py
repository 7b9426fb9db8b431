"""The command ``neuncut``, also as ``python -m neuncut``."""

import sys

from ._core import run_command


def main() -> int:
    """Run the command with the words that were typed."""
    return run_command(["neuncut", *sys.argv[1:]], [sys.executable, "-m", "neuncut"])


if __name__ == "__main__":
    sys.exit(main())
