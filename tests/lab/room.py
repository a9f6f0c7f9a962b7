"""What the tests of the whole house ask of the lab."""

COMMANDS = {"lab": ()}
