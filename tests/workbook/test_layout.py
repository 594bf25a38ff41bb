"""The template says what every tab holds, and agrees with the record."""

import msgspec
import pytest

from referee.match import record
from referee.workbook import layout
from referee.workbook.layout import Layout, TabLayout

HOST_TABS = ["Settings", "Players", "Rounds", "Queue", "Submissions", "Adjustments"]
OWNED_TABS = ["Pen", "Hunger", "Garnets", "Visits", "Result", "Notices", "Receipts"]


@pytest.fixture(scope="module")
def template() -> Layout:
    return layout.load()


def test_the_tabs_are_the_hosts_then_the_referees(template: Layout) -> None:
    """A workbook has the six tabs a host fills in and the seven the referee writes."""
    assert [tab.title for tab in template.host_tabs] == HOST_TABS
    assert [tab.title for tab in template.result_tabs] == OWNED_TABS
    assert [tab.title for tab in template.owned_tabs] == [*OWNED_TABS, "Posts"]
    assert [tab.title for tab in template.laid_out] == [*HOST_TABS, *OWNED_TABS]


def test_the_template_lies_where_it_says() -> None:
    """The template is found beside the package in a checkout."""
    assert layout.template_path().name == "pig_starvation.toml"
    assert layout.template_path().exists()


def test_every_setting_of_the_record_has_a_row(template: Layout) -> None:
    """Settings are listed once, in the record's order, between the match's and the chat's rows."""
    keys = [row.key for row in template.settings_rows]
    settings = record.Settings.__struct_fields__
    assert keys == [
        "name",
        "start",
        "time_zone",
        *settings,
        "commitment",
        "dealer_role",
        "host_accounts",
    ]


def test_a_settings_row_carries_the_records_default_and_limits(template: Layout) -> None:
    """Titles, defaults, choices, units and least values come from the record's annotations."""
    rows = {row.key: row for row in template.settings_rows}
    minutes = rows["round_minutes"]
    assert (minutes.title, minutes.default, minutes.least, minutes.unit) == (
        "Round minutes",
        10,
        1,
        "minutes",
    )
    clock = rows["room_clock"]
    assert (clock.kind, clock.choices) == ("choice", ("simulated", "recorded"))
    assert rows["tie_break_seed"].kind == "text"
    assert "Blank: 60." in rows["room_seconds"].help


def test_no_header_stands_for_two_columns(template: Layout) -> None:
    """Within a tab every header and synonym belongs to one column."""
    for tab in template.host_tabs:
        seen: set[str] = set()
        for column in tab.columns:
            names = {name.casefold() for name in (column.name, *template.synonyms_of(column))}
            assert not seen & names, (tab.title, column.name)
            seen |= names


def test_a_tab_and_a_column_are_found_by_name(template: Layout) -> None:
    """A name the template lacks is a KeyError, not a guess."""
    assert template.tab("Queue").column("Action").drop_down == "actions"
    with pytest.raises(KeyError):
        template.tab("Queues")
    with pytest.raises(KeyError):
        template.tab("Queue").column("Acton")


def test_drop_downs_offer_the_records_words(template: Layout) -> None:
    """Actions and ring cells come from the record, rulings from the template."""
    assert template.words("actions") == record.ACTIONS
    assert template.words("cells") == ("A", "B", "C", "E", "F", "G")
    assert template.words("rulings")[0] == "void"
    assert template.words("players") == ()


def test_every_column_that_drops_down_offers_something(template: Layout) -> None:
    """No drop-down of the template is empty."""
    for tab in template.host_tabs:
        for column in tab.columns:
            if column.drop_down is not None and column.drop_down != "players":
                assert template.words(column.drop_down), (tab.title, column.name)


def test_names_and_ids_are_kept_as_text(template: Layout) -> None:
    """Columns of names and ids have the text format, so that 007 keeps its zeros."""
    assert template.number_format("player") == template.number_format("id") == "@"
    assert template.number_format("value") == "General"


def test_a_tabs_colour_tells_its_owner(template: Layout) -> None:
    """The host's tabs have one colour and the referee's another."""
    colours = {tab.owner: template.colour(tab) for tab in template.tabs}
    assert colours["host"] != colours["referee"]


def test_an_unknown_word_in_the_template_is_refused() -> None:
    """A misspelt key in the template cannot pass unnoticed."""
    with pytest.raises(msgspec.ValidationError, match="titel"):
        msgspec.convert({"titel": "Queue"}, TabLayout)
