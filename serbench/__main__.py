"""`python -m serbench` is `serbench`."""

from serbench.ask.command_line.program import main

if __name__ == "__main__":
    main()
