"""Every command of the office explains itself."""

import pytest
from django.core.management import get_commands, load_command_class

from members.importing import COLUMNS as MEMBER_COLUMNS
from ratings.fide.services.announcing import COLUMNS as CHANGES_OF_FILE
from ratings.formats.games import COLUMNS as GAME_COLUMNS
from ratings.otb.services.crosstable import columns_of as cross_table_columns
from ratings.otb.services.files import LINES
from ratings.rbb.ledger import openings
from ratings.rbb.lists.columns import CHANGES, LIST_COLUMNS
from tests.rooms import COMMANDS as ROOM_COMMANDS
from tests.rooms import OWN_APPS

OFFICE = {app.name for app in OWN_APPS}
COLUMNS = {
    "announce_frl": (),
    "audit": (),
    "backup": (),
    "begin_epoch": (),
    "close_account": (),
    "erase_member": (),
    "export_member": (),
    "close_period": (),
    "demo_logins": (),
    "determine_first_ratings": (),
    "export_changes": CHANGES.names,
    "export_crosstable": cross_table_columns(1),
    "export_frl": LINES.names,
    "export_list": LIST_COLUMNS,
    "export_trf": (),
    "import_frl": (),
    "import_games": GAME_COLUMNS,
    "import_members": MEMBER_COLUMNS,
    "import_otb_changes": CHANGES_OF_FILE,
    "import_ratings": (*openings.COLUMNS, *openings.OPTIONAL_COLUMNS),
    "import_trf": (),
    "invite_member": (),
    "load_demo": (),
    "make_tournament_rows": (),
    "publish_due": (),
    "publish_list": (),
    "replay": (),
    "restore": (),
    "run_jobs": (),
    "show_change": (),
    "undo_change": (),
    **ROOM_COMMANDS,
}


def test_these_are_the_commands_of_the_office():
    assert {name for name, app in get_commands().items() if app in OFFICE} == set(COLUMNS)


@pytest.mark.parametrize("name", COLUMNS)
def test_help_ends_well_and_names_the_columns(name, capsys):
    command = load_command_class(get_commands()[name], name)
    with pytest.raises(SystemExit) as ended:
        command.create_parser("manage.py", name).parse_args(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: manage.py {name}")
    assert ",".join(COLUMNS[name]).replace("effective_at,games", "effective_at[,games") in said
    # Each paragraph as it was written, and every option explained.
    assert command.help.strip() in said
    assert all(action.help for action in command.create_parser("", name)._actions if action.option_strings)
