"""``python -m colabel``: the command line."""

from colabel.cli import main

if __name__ == "__main__":
    main()
