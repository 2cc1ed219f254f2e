"""Dates and times: microseconds, offsets, the first and the last year."""

from datetime import UTC, date, datetime, time, timedelta, timezone

from serbench.measure.probes.values import edges, group_of, with_more
from serbench.model.records import Union
from serbench.model.scalars import DATE, DATETIME, NAIVE_DATETIME, TIME, TIMEDELTA

_MOMENT = datetime(2024, 6, 15, 9, 41, 23, 123456, tzinfo=UTC)
_PLAIN = _MOMENT.replace(tzinfo=None)
_EITHER = (
    ("date", date(2024, 6, 15)),
    ("datetime", _MOMENT),
    ("datetime at midnight", datetime(2024, 6, 15, tzinfo=UTC)),
)


def _zone(**offset: int) -> timezone:
    return timezone(timedelta(**offset))


GROUPS = (
    with_more(
        group_of(
            "aware datetime",
            DATETIME,
            ("datetime UTC", _MOMENT.replace(microsecond=0)),
            ("datetime UTC with microseconds", _MOMENT),
            ("datetime +05:45", _MOMENT.replace(tzinfo=_zone(hours=5, minutes=45))),
            ("datetime -03:30", _MOMENT.replace(tzinfo=_zone(hours=-4, minutes=30))),
            ("datetime before 1970", _MOMENT.replace(year=1969)),
        ),
        *edges(
            ("datetime of the year 1", datetime(1, 1, 1, 12, tzinfo=UTC)),
            ("datetime of the year 9999", datetime(9999, 12, 31, 12, 59, 59, 999999, tzinfo=UTC)),
            ("datetime with an offset in seconds", _MOMENT.replace(tzinfo=_zone(minutes=19, seconds=32))),
        ),
    ),
    with_more(
        group_of(
            "naive datetime",
            NAIVE_DATETIME,
            ("naive datetime", _PLAIN.replace(microsecond=0)),
            ("naive datetime with microseconds", _PLAIN),
            ("naive datetime at midnight", datetime(2024, 6, 15)),  # noqa: DTZ001  # naive on purpose
            ("naive datetime before 1970", _PLAIN.replace(year=1969)),
        ),
        *edges(("naive datetime of the year 1", _PLAIN.replace(year=1))),
    ),
    group_of(
        "date",
        DATE,
        ("date", date(2024, 2, 29)),
        ("date of the year 1", date(1, 1, 1)),
        ("date before 1970", date(1969, 7, 20)),
        ("date of 9999", date.max),
    ),
    group_of(
        "date or datetime", Union((DATE, DATETIME)), *((f"{name} of date | datetime", value) for name, value in _EITHER)
    ),
    group_of(
        "datetime or date", Union((DATETIME, DATE)), *((f"{name} of datetime | date", value) for name, value in _EITHER)
    ),
    group_of(
        "time",
        TIME,
        ("time", time(9, 41, 23)),
        ("time with microseconds", time(23, 59, 59, 999999)),
        ("time with 32 milliseconds", time(0, 0, 0, 32_000)),
        ("midnight", time()),
    ),
    with_more(
        group_of(
            "timedelta",
            TIMEDELTA,
            ("timedelta of seconds", timedelta(seconds=90)),
            ("timedelta with microseconds", timedelta(days=3, microseconds=1)),
            ("timedelta negative", timedelta(days=-1, microseconds=1)),
            ("timedelta of 10,000 days", timedelta(days=10_000, seconds=1)),
            ("timedelta of 400 days and a microsecond", timedelta(days=400, microseconds=1)),
        ),
        *edges(("timedelta of 10,000,000 days and a microsecond", timedelta(days=10_000_000, microseconds=1))),
    ),
)
