"""`python -m titm_rules`: the command line, where the command `titm` is not on the path."""

from titm_rules.cli import main

if __name__ == "__main__":
    main()
