"""The guard of every test: no statement locks rows of a join (``foa/locking.py`` says why)."""

from unittest import mock

from django.db.models.sql.compiler import SQLCompiler

_as_sql = SQLCompiler.as_sql


def _of_one_table(self, *args, **kwargs):
    """The statement; on SQLite, too, where nothing in it says that it locks."""
    statement, values = _as_sql(self, *args, **kwargs)
    if self.query.select_for_update and (" JOIN " in statement or statement.count("SELECT") > 1):
        raise AssertionError(f"rows are locked by a statement that looks at other rows as well: {statement}")
    return statement, values


def guarded():
    """In here whatever locks rows of a join fails."""
    return mock.patch.object(SQLCompiler, "as_sql", _of_one_table)
