#!/usr/bin/env python
"""Django's command line for the rating office."""

from foa.__main__ import main

if __name__ == "__main__":
    main()
