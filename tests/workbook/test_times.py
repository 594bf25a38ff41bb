"""Every way a cell can name a point in time, and those that name none for certain."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from babel import Locale
from babel.dates import format_date, format_time
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st

from referee.match.instants import DAY, format_instant, parse_instant
from referee.workbook.cells import Broken, Moment, Value
from referee.workbook.times import PLAIN, Column, Times, UndatedError, settle
from referee.workbook.values import CellError, shown
from referee.workbook.wall_clock import Clock, agree
from referee.workbook.zones import find_zone, no_zone

NEW_YORK = "America/New_York"
LOCALES = re.findall(
    r"\w+",
    """
    ar_EG bg_BG ca_ES cs_CZ cy_GB da_DK de_DE el_GR en_AU en_CA en_GB en_IE en_IN en_US es_ES
    es_MX et_EE fi_FI fil_PH fr_FR gl_ES he_IL hi_IN hr_HR hu_HU id_ID is_IS it_IT ja_JP ka_GE
    kk_KZ ko_KR lt_LT lv_LV mk_MK nb_NO nl_NL pl_PL pt_BR pt_PT ro_RO ru_RU sk_SK sl_SI sq_AL
    sr_RS sv_SE th_TH tr_TR uk_UA vi_VN zh_CN zh_TW
    """,
)

START = parse_instant("2026-03-01T18:50:00-05:00")
AT = parse_instant("2026-03-01T19:01:05-05:00")
"""What most cells below mean."""


def times(zone: str = NEW_YORK, start: int | None = START) -> Times:
    return Times(Clock(ZoneInfo(zone), zone), start)


def column(locale: str) -> Column:
    return settle(["1/3/2026 19:01:05"], locale)


@pytest.mark.parametrize(
    "cell",
    [
        "2026-03-01 19:01:05",
        "2026-03-01T19:01:05",
        "  2026-03-01  19:01:05 ",
        "2026-03-01T19:01:05-05:00",
        "2026-03-01T19:01:05.0000000-05:00",
        "2026-03-02T00:01:05Z",
        "2026-03-02 00:01:05 UTC",
        "2026-03-02t00:01:05z",
        "2026-03-02T05:31:05+05:30",
        "2026-03-02T05:31:05+0530",
        "2026-03-02 01:01:05+01",
        "2026-03-01 19:01:05 \u221205:00",
        "2026/03/01 19:01:05",
        "2026/3/1 19:01:05",
        "2026. 3. 1 오후 7:01:05",
        "2026-03-01 07:01:05 PM",
        "2026-03-01, 7:01:05\u202fp.m.",
        "19:01:05",
        "7:01:05 PM",
        "<t:1772409665:T>",
        "<t:1772409665>",
        46082.79241898148,
        Moment(46082.79241898148, "date-time"),
        Moment(46082.79241898148, "time"),
        Moment(46082.79241898148, "date"),
        Moment(46082.79241898148, "duration"),
        Moment(0.7924189814814815, "time"),
        Moment(0.7924189814814815, "date-time"),
        Moment(0.7924189814814815, "duration"),
    ],
)
def test_one_instant_in_many_spellings(cell: Value) -> None:
    """Dates, texts, stamps and serials of one instant are read as that instant."""
    assert times().read(cell) == AT


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en_US", "3/1/2026 19:01:05"),
        ("en_US", "03/01/2026 7:01:05 PM"),
        ("en_GB", "01/03/2026 19:01:05"),
        ("de_DE", "01.03.2026 19:01:05"),
        ("de_DE", "1.3.2026, 19:01:05"),
        ("cs_CZ", "1. 3. 2026 19:01:05"),
        ("nl_NL", "1-3-2026 19:01:05"),
        ("ja_JP", "2026/03/01 19:01:05"),
        ("zh_TW", "2026/3/1 下午 7:01:05"),
        ("ko_KR", "2026. 3. 1 오후 7:01:05"),
        ("it_IT", "01/03/2026 19.01.05"),
        ("da_DK", "01.03.2026 19.01.05"),
        ("da_DK", "19.01.05"),
        ("fi_FI", "1.3.2026 19.01.05"),
        ("in_ID", "01/03/2026 19.01.05"),
        ("id_ID", "1/3/26 19.01.05"),
        ("es_MX", "1/3/2026 7:01:05 p. m."),
        ("es_MX", "1/3/2026 7:01:05 p.\u00a0m."),
        ("bg_BG", "1.03.2026 г., 19:01:05 ч."),
        ("el_GR", "1/3/2026 7:01:05 μ.μ."),
        ("vi_VN", "19:01:05 1/3/2026"),
        ("vi_VN", "7:01:05 CH 1/3/2026"),
        ("hu_HU", "2026. 03. 01. 19:01:05"),
        ("hr_HR", "01. 03. 2026. 19:01:05"),
        ("iw_IL", "1.3.2026, 19:01:05"),
        ("ar_EG", "١\u200f/٣\u200f/٢٠٢٦ ٧:٠١:٠٥ م"),
        ("no_NO", "01.03.2026 19:01:05"),
        ("sv_SE", "2026-03-01 19:01:05"),
        ("tr_TR", "01.03.2026 19:01:05"),
        ("en_GB", "01/03/26 19:01:05"),
        ("en_GB", "19:01:05 01/03/2026"),
    ],
)
def test_a_form_stamp_is_read_in_its_locale(locale: str, text: str) -> None:
    """The spreadsheet's locale settles the order of day and month."""
    assert times().read(text, column(locale)) == AT


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("width", ["short", "medium"])
def test_a_stamp_of_any_locale_is_read_as_babel_writes_it(locale: str, width: str) -> None:
    """Numbers in the locale's own order and digits, with its words and halves of the day."""
    at = datetime(2026, 3, 1, 19, 1, 5)  # noqa: DTZ001  a wall clock
    known = Locale.parse(locale)
    date = re.sub("y+", "y", known.date_formats["short"].pattern)
    written = [format_date(at, date, locale), format_time(at, "medium", locale=locale)]
    text = known.datetime_formats[width].replace("{1}", written[0]).replace("{0}", written[1])
    text = text.replace("'", "")
    assert times().read(text, settle([text], locale)) == AT


@pytest.mark.parametrize(
    "text",
    ["19.01.20 01.03.20", "19.01.20", "01.03.20 19.01", "19:01:20 01:03:20", "1/3/2026 19:01:05 u"],
)
def test_what_could_mean_two_things_is_refused(text: str) -> None:
    """In a German sheet a dotted time may be a date."""
    with pytest.raises(CellError):
        times().read(text, column("de_DE"))


@pytest.mark.parametrize(
    ("locale", "order"),
    [
        ("en_US", "month first"),
        ("en-US", "month first"),
        ("en_GB", "day first"),
        ("pt_BR", "day first"),
        ("de", "day first"),
        ("ja_JP", None),
        ("en_CA", None),
        ("xx_YY", None),
        ("", None),
        (None, None),
    ],
)
def test_only_locales_with_one_order_settle_it(locale: str | None, order: str | None) -> None:
    """A locale that writes the year first, or an unknown one, settles nothing."""
    assert settle(["1/3/2026 19:01:05"], locale).order == order


def test_rows_settle_the_order_where_no_locale_does() -> None:
    """One row that can only be read one way settles the whole column."""
    day_first = settle(["02/03/2026 19:01:00", None, "13/03/2026 19:02:00"], None)
    assert times().read("02/03/2026 19:01:00", day_first) == parse_instant("2026-03-03T00:01:00Z")
    month_first = settle(["02/03/2026 19:01:00", 5, "03/13/2026 19:02:00"], None)
    assert times().read("02/03/2026 19:01:00", month_first) == parse_instant("2026-02-04T00:01:00Z")


def test_the_locale_goes_before_the_rows() -> None:
    """A row that contradicts the locale is refused and turns no other row."""
    order = settle(["02/03/2026 19:01:00", "13/03/2026 19:02:00"], "en_US")
    assert times().read("02/03/2026 19:01:00", order) == parse_instant("2026-02-04T00:01:00Z")
    with pytest.raises(CellError, match="is not a date in locale en_US"):
        times().read("13/03/2026 19:02:00", order)


def test_a_day_that_is_its_own_month_needs_no_order() -> None:
    """3/3 is the third of March either way."""
    assert times().read("3/3/2026 19:01:05", PLAIN) == AT + 2 * DAY


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("soon", "is not a time"),
        ("", "is not a time"),
        ("tomorrow 19:01:05", "is not a time"),
        ("2026-03-01 19:01:05 and more", "is not a time"),
        ("19", "is not a time"),
        ("46082.79", "is not a time"),
        ("01/03/26 19:01:05", "is not a time"),
        ("19:01", "has no seconds"),
        ("7:01 PM", "has no seconds"),
        ("2026-03-01 19:01", "has no seconds"),
        ("2026-03-01T19:01Z", "has no seconds"),
        ("2026-03-01", "has no time of day"),
        ("2026/3/1", "has no time of day"),
        (Moment(46082.0, "date"), "has no time of day"),
        (46082, "has no time of day"),
        ("2026-02-30 19:01:05", "names a day that does not exist"),
        ("2026/02/30 19:01:05", "names a day that does not exist"),
        ("32/13/2026 19:01:05", "names a day that does not exist"),
        ("2026-03-01 24:00:00", "names a time of day that does not exist"),
        ("2026-03-01 19:60:00", "names a time of day that does not exist"),
        ("2026-03-01 19:01:60", "names a time of day that does not exist"),
        ("25:00:00", "names a time of day that does not exist"),
        ("13:01:05 PM", "names a time of day that does not exist"),
        ("0:01:05 AM", "names a time of day that does not exist"),
        ("am 7:01:05 pm", "names a time of day that does not exist"),
        ("19:01:05Z", "has an offset but no date"),
        ("2026-03-01 19:01:05+25:00", "names an offset that does not exist"),
        ("02/03/2026 19:01:05", "may name its day or its month first"),
        ("9999-12-31 23:59:59", "lies outside the years 1 to 9999"),
        ("9999-12-31 23:59:59-05:00", "lies outside the years 1 to 9999"),
        ("<t:-99999999999:T>", "lies outside the years"),
        (0, "is not a time"),
        (0.79, "is not a time"),
        (5, "is not a time"),
        (-3.5, "is not a time"),
        (1764450307, "is not a time"),
        (float("nan"), "is not a time"),
        (float("inf"), "looks like a message id"),
        (1177000000000000000, "looks like a message id"),
        (1.177e18, "looks like a message id"),
        (True, "is not a time"),
        (None, "is not a time"),
        (Moment(0.0, "time"), "may be midnight or a bare 0"),
        (Moment(0.0, "date-time"), "may be midnight or a bare 0"),
        (Moment(1.0416666666666667, "duration"), "holds 24 hours or more"),
        (Moment(1.79236, "time"), "43:00:59.904 holds 24 hours or more"),
        (Moment(1463.79236, "time"), "holds 24 hours or more"),
        (Moment(-1.5, "date-time"), "is not a time"),
        (Moment(3e6, "date-time"), "is not a time"),
        (Broken("the formula has no stored value", "=NOW()"), "the formula has no stored value"),
    ],
)
def test_what_names_no_instant_for_certain(cell: Value, problem: str) -> None:
    """Whatever leaves something to guess is refused, with what stands there and why."""
    with pytest.raises(CellError, match=problem):
        times().read(cell)


def test_serials_are_rounded_to_the_millisecond() -> None:
    """Serials as a service sends them are the exact seconds meant, and their visit exactly 60 s."""
    entered, left, bell = (
        times().read(serial) for serial in (46082.7923611111, 46082.7930555556, 46082.7986111111)
    )
    assert [format_instant(t) for t in (entered, left, bell)] == [
        "2026-03-02T00:01:00Z",
        "2026-03-02T00:02:00Z",
        "2026-03-02T00:10:00Z",
    ]
    assert left - entered == 60_000


@pytest.mark.parametrize(
    ("fraction", "millis"),
    [
        (".1", 100),
        (".12", 120),
        (",123", 123),
        (".1230000", 123),
        (".1234", 123),
        (".1235", 124),
        (".9999", 1000),
    ],
)
def test_fractions_of_a_second_are_rounded_to_the_millisecond(fraction: str, millis: int) -> None:
    """Up to nine digits are read, and the nearest millisecond counts."""
    assert times().read(f"2026-03-01 19:01:05{fraction}") == AT + millis


@pytest.mark.parametrize(
    "text",
    [
        "175928847299117063",
        "https://discord.com/channels/1/22/175928847299117063",
        " <https://ptb.discord.com/channels/@me/22/175928847299117063/> ",
        "discordapp.com/channels/1/22/175928847299117063?x=1",
    ],
)
def test_a_message_id_or_link_holds_its_time(text: str) -> None:
    """The time inside a Discord id, to the millisecond; every client copies a message's link."""
    assert times().read(text) == parse_instant("2016-04-30T11:18:25.796Z")


def test_a_time_of_day_takes_the_matchs_date_forward_over_midnight() -> None:
    """From the start's time of day on it is the same day, before it the next."""
    late = times(start=parse_instant("2026-03-01T23:50:00-05:00"))
    assert late.read("23:50:00") == parse_instant("2026-03-01T23:50:00-05:00")
    assert late.read("23:49:59") == parse_instant("2026-03-02T23:49:59-05:00")
    assert late.read("00:10:00") == parse_instant("2026-03-02T00:10:00-05:00")


def test_a_time_of_day_needs_a_match_with_a_start() -> None:
    """Without a start nothing gives a time of day its date."""
    with pytest.raises(UndatedError):
        times(start=None).read("19:01:05")


@pytest.mark.parametrize(
    "cell", ["2026-11-01 01:30:00", Moment(46327.0625, "date-time"), "1/11/2026 01:30:00"]
)
def test_a_time_that_happens_twice_is_refused(cell: Value) -> None:
    """The hour the clocks go back over is refused, and both spellings with offset are offered."""
    with pytest.raises(CellError, match="happens twice in America/New_York") as refused:
        times().read(cell, column("en_GB"))
    assert "01:30:00-04:00 or 2026-11-01 01:30:00-05:00" in str(refused.value)


def test_a_time_that_never_happens_is_refused() -> None:
    """The hour the clocks go forward over is refused; its edges are read."""
    with pytest.raises(CellError, match="does not exist in America/New_York"):
        times().read("2026-03-08 02:30:00")
    before, after = (times().read(f"2026-03-08 {t}") for t in ("01:59:59", "03:00:00"))
    assert after - before == 1000


def test_an_offset_settles_the_doubled_hour() -> None:
    """A visit over the clock change lasts what it lasted."""
    entered = times().read("2026-11-01T01:59:30-04:00")
    assert times().read("2026-11-01T01:00:10-05:00") - entered == 40_000


@pytest.mark.parametrize("zone", ["Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Dublin", "UTC"])
@given(seconds=st.integers(0, 4_000_000_000))
def test_a_wall_clock_gives_back_what_it_showed(zone: str, seconds: int) -> None:
    """What the clock shows at an instant is read as that instant, unless it shows it twice."""
    clock = Clock(ZoneInfo(zone), zone)
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    local = at.astimezone(ZoneInfo(zone))
    text = local.replace(tzinfo=None).isoformat(" ")
    other = local.replace(fold=1 - local.fold)
    if other.utcoffset() == local.utcoffset():
        assert Times(clock).read(text) == seconds * 1000
    else:
        with pytest.raises(CellError, match="happens twice"):
            Times(clock).read(text)
    assert Times(clock).read(local.isoformat()) == seconds * 1000


@given(st.integers(978_307_200_000, 4_070_908_799_999))
def test_every_spelling_of_an_instant_is_the_same_millisecond(millis: int) -> None:
    """ISO, form stamps, serials and cells of one wall-clock time agree to the millisecond."""
    reader = times("UTC")
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    clock = f"{at:%H:%M:%S}.{millis % 1000:03}"
    serial = millis / DAY + 25569
    assert reader.read(f"{at:%Y-%m-%d} {clock}") == millis
    assert reader.read(f"{at:%Y-%m-%d}T{clock}0000Z") == millis
    assert reader.read(f"{at:%d/%m/%Y} {clock}", column("en_GB")) == millis
    assert reader.read(f"{at:%m/%d/%Y} {clock}", column("en_US")) == millis
    assert reader.read(f"{at:%d.%m.%Y} {clock}", column("de_DE")) == millis
    assert reader.read(f"{at:%Y/%m/%d} {at:%I:%M:%S}.{millis % 1000:03} {at:%p}") == millis
    assert reader.read(Moment(serial, "date-time")) == millis
    if millis % DAY:
        assert reader.read(serial) == millis


NUMBERS = st.floats() | st.integers()
KINDS = st.sampled_from(["date", "time", "date-time", "duration"])


@given(st.text() | NUMBERS | st.builds(Moment, NUMBERS, KINDS))
def test_any_cell_is_a_time_or_refused(cell: Value) -> None:
    """No content makes the reader fail in another way than by quoting the cell and saying why."""
    try:
        instant = times().read(cell)
    except CellError as refused:
        problem = str(refused)
    else:
        problem = shown(cell)
        assert parse_instant(format_instant(instant)) == instant
    assert problem.startswith(shown(cell))


def test_zones_are_known_by_name() -> None:
    """A zone is found by its whole name."""
    assert find_zone("Europe/London") is not None
    for wrong in ("Londn", "", "Europe", "../etc/passwd", "/etc/passwd", "a\x00b"):
        assert find_zone(wrong) is None


def test_a_number_without_end_is_quoted_short() -> None:
    """A message stays readable whatever a cell holds."""
    assert (shown(1e300), shown(-2.5e21), shown(1e20)) == ("1e+300", "-2.5e+21", "1" + "0" * 20)


@freeze_time("2026-11-01T12:00:00Z")
def test_a_stopped_clock_knows_the_repeated_hour_too() -> None:
    """The second of the two hours is shown as such where the present is made up, as in a trial."""
    clock = Clock(ZoneInfo(NEW_YORK), NEW_YORK)
    again = parse_instant("2026-11-01T01:04:10-05:00")
    assert clock.text(again) == "2026-11-01 01:04:10-05:00"
    assert times().read(clock.text(again)) == again


@pytest.mark.parametrize(
    "name", ["localtime", "Localtime", "posixrules", "Factory", "posix/UTC", "right/Europe/London"]
)
def test_c020_a_zone_is_the_same_on_every_machine(name: str) -> None:
    """What some machines file among their zones, their own one above all, is no zone here."""
    assert find_zone(name) is None
    assert f"write {name}" not in no_zone(name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Asia/Calcutta", "Asia/Kolkata", True),
        ("UTC", "Etc/UTC", True),
        ("UTC", "UTC", True),
        ("Europe/London", "Europe/Lisbon", False),
        ("America/New_York", "Asia/Kolkata", False),
    ],
)
def test_zones_agree_where_they_are_one_clock(one: str, other: str, same: bool) -> None:
    """Two names of one zone are no conflict."""
    assert agree(ZoneInfo(one), ZoneInfo(other)) is same
