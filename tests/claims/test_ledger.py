"""Claims are read, measured and kept."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from serbench.api.claims import measure_claims, named_claims
from serbench.api.notebook.background_run import Stored
from serbench.api.running import Unmeasured, attended
from serbench.claims.judging import OUT_OF_TIME, summary
from serbench.claims.ledger import Ledger, against_published, interval_words, ledger, list_claims, published_words
from serbench.claims.reading import claims, snippet
from serbench.errors import PlanError, installed_by
from serbench.render import environments
from serbench.render.library import libraries
from serbench.store.archive import resources

SAME = '[[figure]]\nof = "same"\nquantity = "answer"\nexpected = true\n'
TEN = '[[figure]]\nof = "ten_times"\nto = "once"\npublished = 10\n'


def measured(folder, **choices):
    (outcome,) = measure_claims(sources=folder, **choices).outcomes
    return outcome


def test_every_claim_reads():
    """Each file is a claim of a known source, and nothing in it is a verdict or a measured figure."""
    found = claims()
    assert found
    assert [name for name, claim in found.items() if name != f"{claim.source.name}-{name.partition('-')[2]}"] == []
    assert {row["claim"] for row in list_claims()} == set(found)


def test_claims_name_libraries_that_there_are():
    """A claim names the libraries that it is about, whatever its statement says of them."""
    about = {name: claim.libraries for name, claim in claims().items()}
    assert set() == {name for names in about.values() for name in names} - set(libraries())
    assert {"toastedmarshmallow", "marshmallow2"} == set(about["000-toasted"])
    assert {name for name in about if name.startswith("001-")} <= {
        one for one, names in about.items() if "apischema" in names
    }


@pytest.mark.slow
def test_a_ratio_with_its_interval(write):
    """Ten sums against one: measured in fresh processes, with an interval that holds the estimate."""
    outcome = measured(write("once", "ten_times", more=TEN))
    (figure,) = outcome.figures
    assert ("ours-sums", "now") == (outcome.id, figure.versions)
    assert 1 < figure.low < figure.measured < figure.high
    assert ["ok", "ok"] == [row.status for row in outcome.rows]
    assert outcome.rows[0].statistics["rounds"] >= 2 * 8
    assert "Published 10.0×" in outcome.explanation


@pytest.mark.slow
def test_a_wrong_printed_snippet_is_told_and_corrected(write):
    """The printed one's answer stands in the notes, and its correction is what is judged."""
    more = TEN.replace('"once"', '"wrong"')
    outcome = measured(write("wrong printed = true", 'once corrects = "wrong"', "ten_times", more=more))
    assert outcome.notes == ("now: as printed, wrong gives -1, but once gives 1999000",)
    assert ("ten_times", "once") == (outcome.figures[0].of, outcome.figures[0].to)
    assert outcome.figures[0].measured > 1
    assert "ok" == outcome.rows[0].status  # it is timed all the same


@pytest.mark.slow
def test_a_printed_snippet_that_fails_is_told(write):
    """What it raises stands in the notes."""
    more = TEN.replace('"once"', '"fails"')
    outcome = measured(write("fails printed = true", 'once corrects = "fails"', "ten_times", more=more))
    assert "NameError" in outcome.notes[0]
    assert outcome.figures[0].measured > 1


@pytest.mark.slow
def test_other_answers_are_not_compared(write):
    """Without a correction a row with another answer is a row with a reason, and so is the figure."""
    outcome = measured(write("once", "wrong", more=TEN.replace("ten_times", "wrong")))
    assert "not measurable" == outcome.verdict
    assert "wrong gives -1, but once gives 1999000" in outcome.figures[0].reason


@pytest.mark.slow
def test_a_crash_is_a_reason_and_the_rest_goes_on(write):
    """A row that ends its process takes no other with it."""
    more = TEN + '\n[[figure]]\nof = "crashes"\nto = "once"\npublished = 2\n'
    outcome = measured(write("once", "ten_times", "crashes", more=more))
    assert ["holds" if f.measured else "none" for f in outcome.figures] == ["holds", "none"]
    assert "exit code 3" in outcome.figures[1].reason


@pytest.mark.slow
def test_a_library_that_is_not_installed_is_told_so(write):
    """A snippet of serbench's own installation that imports what is not there names what to install."""
    outcome = measured(write("once", "lacks", more=TEN.replace("ten_times", "lacks")))
    assert "unavailable" == outcome.rows[1].status
    assert f"lacks: no_such_library is not installed: {installed_by('all')}" == outcome.figures[0].reason


@pytest.mark.slow
def test_what_a_snippet_needs_beside_packages_is_a_reason(write):
    """A row whose snippet says that something is not there is unavailable, with what to do, and has not failed."""
    outcome = measured(write("once", "needs", more=TEN.replace("ten_times", "needs")))
    assert ("unavailable", "there is no such server: install one") == (outcome.rows[1].status, outcome.rows[1].reason)


def test_building_environments_counts_within_the_budget(write, monkeypatch):
    """An environment that is not built when the budget ends is given up, and its claim was not measured within the budget."""
    left, clock = [], time.monotonic

    def slow(recipe, end):
        left.append(end - clock())
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 3600)
        raise environments.BuildError("not built within the budget")

    monkeypatch.setattr(environments, "build", slow)
    more = TEN + '\n[versions.then]\nrequirements = ["tomli==0.0.99"]\n'
    outcome = measured(write("once", "ten_times", more=more), budget=3600)
    assert 1 == len(left)
    assert left[0] < 3600
    assert {OUT_OF_TIME} == {figure.reason for figure in outcome.figures}


@pytest.mark.slow
def test_an_environment_that_cannot_be_made_is_a_reason(write):
    """The set of versions is not measurable, and the others are measured."""
    more = TEN + '\n[versions.then]\npython = "2.1"\n\n[versions.now]\n'
    outcome = measured(write("once", "ten_times", more=more))
    assert "not measurable" == outcome.verdicts()["then"]
    assert "no interpreter" in outcome.figures[0].reason
    assert outcome.figures[1].measured > 1


def test_sizes_and_answers_need_no_waves(write):
    """A size is exact, and an answer is what is expected or not."""
    more = (
        '[[figure]]\nof = "text"\nquantity = "size"\npublished = 2000\ntolerance = 1.0\n'
        '[[figure]]\nof = "same"\nquantity = "answer"\nexpected = true\n'
    )
    outcome = measured(write('text agrees = ""', 'same agrees = ""', more=more))
    assert "holds" == outcome.verdict
    assert [(2000, 2000, 2000), (1, 1, 1)] == [(f.low, f.measured, f.high) for f in outcome.figures]
    assert [("ok", None), ("ok", None)] == [(row.status, row.statistics) for row in outcome.rows]


def test_a_ratio_to_nothing_is_not_measurable(write):
    """An answer of 0 divides nothing: the figure says so, and the claim goes on."""
    more = '[[figure]]\nof = "once"\nto = "nothing"\nquantity = "answer"\npublished = 2\n'
    outcome = measured(write('once agrees = ""', 'nothing agrees = ""', more=more))
    assert [("not measurable", "the answer of nothing is 0")] == [(f.verdict, f.reason) for f in outcome.figures]


def test_a_changed_claim_is_read_again(write):
    """What one changes in a file of one's own counts in the next measurement of the same process."""
    for call in ("once", "same"):
        claim = claims(write(call, more=SAME.replace("same", call)))["ours-sums"]
        assert [call] == [row.name for row in claim.rows]


@pytest.mark.slow
@pytest.mark.parametrize(("apart", "status"), [("apart = true", "ok"), ("", "failed")])
def test_a_row_apart_has_a_process_of_its_own(write, apart, status):
    """Rows of one file share a process, unless one says that it is apart."""
    outcome = measured(write("once", "ten_times", f'alone agrees = ""\n{apart}', more=TEN))
    assert ["ok", "ok", status] == [row.status for row in outcome.rows]


@pytest.mark.slow
def test_an_effect_against_another(write):
    """A ratio is divided by another one, wave by wave; three figures of the same rows agree."""
    more = "".join(
        f'[[figure]]\nof = "ten_times"\nto = "{to}"\n{against}\nsense = "more"\n'
        for to, against in (("once", ""), ("text", ""), ("text", 'against = ["once", "text"]'))
    )
    outcome = measured(write("once", "ten_times", 'text agrees = ""', more=more))
    to_once, to_text, divided = outcome.figures
    assert ("ten_times / text", "once / text") == (divided.of, divided.to)
    assert divided.measured == pytest.approx(to_once.measured)
    assert to_text.measured != pytest.approx(to_once.measured)


@pytest.mark.slow
def test_a_single_claim_in_full(write):
    """Each figure is a row; the statistics are in one unit, beside their ratio to the least of the column."""
    outcome = measured(write("once", "ten_times", more=TEN))
    (figure,) = Ledger((outcome,)).figure_rows()
    assert ("ten_times / once", "now", "10.0×") == (figure["figure"], figure["versions"], figure["published"])
    rows = outcome.statistics_rows("now")
    assert ["(1.00)", True] == [rows[0]["median"].split()[1], "(1.00)" not in rows[1]["median"]]
    assert all(row["rounds"] >= 2 * 8 and row["outliers"].count(";") == 1 for row in rows)
    assert [] == outcome.statistics_rows("then")


@pytest.mark.slow
def test_outcomes_are_kept(write, tmp_path):
    """What is written into a folder is what is read from it."""
    outcome = measured(write("once", "ten_times", more=TEN), output=tmp_path / "kept")
    assert (outcome,) == ledger(tmp_path / "kept").outcomes
    (row,) = ledger(tmp_path / "kept").rows()
    assert ("ours-sums", "10.0×", outcome.verdict) == (row["id"], row["published"], row["verdict"])
    assert "| ours-sums |" in ledger(tmp_path / "kept").to_markdown()


def test_claims_are_chosen_by_their_source(cli):
    """A source's name stands for all its claims, in what is kept too; one that is no claim's is refused."""
    _, out, _ = cli("claims", "002", "--stored", "--json")
    found = json.loads(out)["claims"]
    assert [name for name in claims() if name.startswith("002-")] == [one["id"] for one in found]
    assert {"id", "verdict", "figures", "rows", "explanation"} <= set(found[0])
    assert ["a-b", "a-c"] == named_claims(["a-c", "a"], ["a-b", "a-c", "ab-c"])
    with pytest.raises(PlanError, match="did you mean a-b"):
        named_claims(["a-d"], ["a-b"])


@pytest.mark.slow
def test_the_ledger_is_drawn_and_summed_up(write):
    """The figure has each published ratio and the measured one of each set of versions; its title counts verdicts."""
    outcome = measured(write("once", "ten_times", more=TEN))
    other = replace(outcome, id="ours-other", figures=(replace(outcome.figures[0], to="", verdict="reversed"),))
    both = Ledger((outcome, other))
    figure = against_published(both.outcomes)
    published, dots = figure["data"]
    assert [10.0] == published["x"]
    assert [outcome.figures[0].measured] == dots["x"]
    assert "ours-other" in figure["layout"]["annotations"][0]["text"]
    holds = int(outcome.verdict == "holds")
    assert f"{holds} of 2 figures hold with today's versions; reversed: 1 with today's versions" == summary(
        both.outcomes
    )
    before = replace(outcome, figures=(replace(outcome.figures[0], versions="before", verdict="holds"),))
    assert "1 of 1 figure holds before" == summary([before])


def test_no_reason_is_markup(write):
    """What a library said of a row is text in the table, as is the statement."""
    outcome = measured(write('same agrees = ""', more=SAME))
    (figure,) = outcome.figures
    said = replace(outcome, statement="a|b", figures=(replace(figure, measured=None, reason="no <b>x</b>"),))
    *_, line = Ledger((said,)).to_markdown().splitlines()
    assert "a\\|b" in line
    assert "now no \\<b\\>x\\</b\\>" in line


def test_no_verdict_is_hidden(write):
    """A claim whose figures disagree says how many hold and what the others are; what is reversed has a table."""
    outcome = measured(write('same agrees = ""', more=SAME))
    (figure,) = outcome.figures
    verdicts = ("holds", "holds", "reversed", "smaller")
    mixed = replace(outcome, id="ours-mixed", figures=tuple(replace(figure, verdict=one) for one in verdicts))
    both = Ledger((mixed, outcome))
    text = both.to_markdown()
    assert text.startswith("3 of 5 figures hold with today's versions; reversed: 1 with today's versions.")
    assert "| now: 2 of 4 hold, 1 reversed, 1 smaller |" in text
    assert "| mixed" not in text
    assert [("ours-mixed", "same")] == [(row["claim"], row["figure"]) for row in both.reversed_rows()]


def test_figures_have_units(write):
    """A size is bytes, an answer yes or no or its texts, and a size without a row beside it is no ratio."""
    table = '[table]\nquantity = "size"\ntolerance = 1.0\n'
    outcome = measured(write('text agrees = ""\npublished = 2000', 'same agrees = ""', more=table))
    (size,) = outcome.figures
    assert ("", "2,000 bytes", "2,000 bytes") == (size.to, published_words(size), interval_words(size))
    assert "| 2,000 bytes | now 2,000 bytes | holds |" in Ledger((outcome,)).to_markdown()
    (figure,) = measured(write('same agrees = ""', more=SAME)).figures
    assert ("yes", "yes", "holds") == (published_words(figure), interval_words(figure), figure.verdict)
    (figure,) = measured(write('once agrees = ""', more=SAME.replace("same", "once"))).figures
    assert ("yes", "1999000", "reversed") == (published_words(figure), interval_words(figure), figure.verdict)
    several = replace(figure, expected=["get", "set"], answer=[])
    assert ("get, set", "none") == (published_words(several), interval_words(several))
    busy = replace(figure, expected=None, quantity="busy", published_low=0.86, published_high=0.86, measured=0.9)
    assert "86.0%" == published_words(busy)


def test_no_verdict_without_the_leading_figure(write):
    """If what the claim is about cannot be measured, what stands beside it decides nothing."""
    outcome = measured(write('same agrees = ""', more=SAME))
    (figure,) = outcome.figures
    half = replace(outcome, figures=(replace(figure, verdict="not measurable"), figure))
    assert ("not measurable", {"now": "not measurable"}) == (half.verdict, half.verdicts())


def test_outcomes_of_earlier_versions_open(tmp_path):
    """What an earlier version kept as no difference is smaller; what it kept beside its verdicts is left out."""
    (outcome,) = (one for one in ledger().outcomes if one.id == "pydantic-json")
    kept = outcome.as_data() | {"near_boundary": True}
    kept["figures"] = [{**figure, "verdict": "no difference", "possible": ["holds"]} for figure in kept["figures"]]
    (tmp_path / "pydantic-json.json").write_text(json.dumps(kept), encoding="utf-8")
    (earlier,) = ledger(tmp_path).outcomes
    assert {"smaller"} == {figure.verdict for figure in earlier.figures}
    assert earlier.rows == outcome.rows


def test_versions_that_a_claim_has_not_leave_it_out(write):
    """Of several claims those are measured that have a chosen set of versions."""
    folder = write('same agrees = ""', more=SAME)
    text = (folder / "ours" / "sums.toml").read_text(encoding="utf-8")
    (folder / "ours" / "later.toml").write_text(f"{text}\n[versions.later]\n", encoding="utf-8")
    found = measure_claims(sources=folder, versions=["later"])
    assert ["ours-later"] == [outcome.id for outcome in found.outcomes]
    with pytest.raises(PlanError, match="unknown set of versions 'later'"):
        measure_claims(["ours-sums"], sources=folder, versions=["later"])


def test_a_text_names_claims_and_versions_as_a_list_does():
    """One text is one name or several with commas, as for every other function."""
    with pytest.raises(PlanError, match="unknown claim 'nope'"):
        measure_claims("003-take, nope")
    with pytest.raises(PlanError, match="unknown set of versions 'later'"):
        measure_claims("003-take", versions="later")


def test_what_snippets_share_stands_in_them_once(tmp_path):
    """A relative import stands for the text of the file beside the snippet, however many files name it."""
    (tmp_path / "texts.py").write_text("TEXTS = ['a']\n")
    (tmp_path / "made.py").write_text("from .texts import TEXTS\nMADE = TEXTS * 2\n")
    (tmp_path / "one.py").write_text("from .texts import TEXTS\nfrom .made import MADE\nprint(TEXTS, MADE)\n")
    assert "TEXTS = ['a']\nMADE = TEXTS * 2\nprint(TEXTS, MADE)\n" == snippet(tmp_path / "one.py")


def test_a_folder_without_outcomes_shows_the_published_ones(tmp_path, write):
    """Controls of a notebook that writes to a new folder begin with what is published; of sources of the user's nothing is."""
    with attended(Stored()):
        (shown,) = measure_claims("001-passthrough", output=tmp_path / "new").outcomes
        with pytest.raises(Unmeasured):
            measure_claims(sources=write('same agrees = ""', more=SAME), output=tmp_path / "new")
    assert shown == next(outcome for outcome in ledger().outcomes if outcome.id == "001-passthrough")


def test_every_known_claim_is_in_the_ledger():
    """Each claim of the five articles has an entry."""
    numbers = {
        "000": "althaia toasted four pypy rows",
        "001": "table pure method nocopy union constructor passthrough",
        "002": "table attrs3x complex phases pypy",
        "003": "gather gather10 shared records nogil struct take unique",
        "004": "size serialize deserialize pydantic2 pickle orjson",
    }
    ids = {f"{source}-{name}" for source, names in numbers.items() for name in names.split()}
    assert set() == ids - set(claims())


def test_libraries_own_pages_are_claims_too():
    """Each names the page; the libraries' own are at least forty claims of eight libraries."""
    pages = [claim for claim in claims().values() if not claim.source.name.isdigit()]
    assert [] == [claim.id for claim in pages if not (claim.source.link and claim.source.date)]
    assert len(pages) >= 40
    assert len({claim.source.name for claim in pages}) >= 8


@pytest.mark.parametrize(
    ("calls", "more", "told"),
    [
        (("once", "twice"), TEN, "no function 'twice'"),
        (("once", "ten_times"), TEN.replace("once", "onec"), "did you mean once?"),
        (("once", "ten_times"), TEN + 'quantity = "weight"\n', r"'weight' - at `figure\[0\].quantity`"),
        (("once", "ten_times"), TEN + 'colour = "red"\n', r"unknown field `colour` - at `figure\[0\]`"),
        (("once", "ten_times"), TEN.replace("10", "true"), r"got `bool` - at `figure\[0\].published`"),
        (("once", "ten_times"), TEN + "of = 3\n", "Cannot overwrite a value"),
        (("once", 'ten_times only = ["later"]'), TEN, "unknown set of versions 'later'"),
        (("once", "once"), TEN, "two rows have the same name"),
        (("once", "ten_times"), "", "no figure"),
        (("once", "ten_times"), TEN + 'against = ["once"]\n', "two timed rows"),
        (("once", "ten_times"), TEN.replace("10", "0"), "`published` must be above 0"),
        (("once", "ten_times"), TEN.replace("10", "[3.0, 2.0]"), "the lower end first"),
        (("once", "ten_times"), TEN + "tolerance = 0\n", "at least 1"),
        (("once published = 0", "ten_times"), TEN, "once: `published` must be above 0"),
    ],
)
def test_what_is_no_claim_is_said(write, tmp_path, calls, more, told):
    """A file that is none is one line: the file, what is wrong and where, and the page that says how it should be."""
    with pytest.raises(PlanError, match=told) as error:
        measured(write(*calls, more=more))
    assert str(error.value).startswith(str(tmp_path / "ours" / "sums.toml"))
    assert str(error.value).endswith("; docs/adding-a-claim.md describes the file")
    assert "\n" not in str(error.value)


def test_a_snippet_that_is_no_python_is_one_line(write):
    """It names the claim's file."""
    folder = write("once", "ten_times", more=TEN)
    (path,) = folder.glob("*/*.py")
    path.write_text("def once(:")
    with pytest.raises(PlanError, match=r"sums\.toml: .*describes the file"):
        measured(folder)


def test_a_claim_without_rows_in_a_set_of_versions_is_not_measured_in_it(write):
    """One line says so, before anything is measured."""
    then = "[versions.then]\n[versions.now]\n"
    folder = write('once only = ["now"]', "ten_times", more=TEN + then)
    with pytest.raises(PlanError, match="these claims have no figure for the versions then"):
        measured(folder, versions=["then"])


def test_the_budget_is_kept(write, tmp_path):
    """What begins after the end is not measured, says so, and takes no kept outcome's place."""
    folder = write("once", "ten_times", more=TEN)
    outcome = measured(folder, budget=1e-9, output=tmp_path / "kept")
    assert ("not measurable", "it was not measured within the budget") == (outcome.verdict, outcome.figures[0].reason)
    assert [] == list((tmp_path / "kept").glob("*.json"))


def test_a_set_of_versions_looks_the_same_in_every_figure_of_claims():
    """Whichever claims are drawn, what was measured with today's versions has one colour, and the legend fits beside the lines."""
    known, looks = Ledger.read(resources("data") / "claims").outcomes, {}
    for chosen in (known, [outcome for outcome in known if outcome.id in ("001-passthrough", "003-take")]):
        figure = against_published(chosen)
        names = {trace["name"]: trace["marker"]["color"] for trace in figure["data"]}
        looks.setdefault(names["measured, now"], []).append(names["measured, then"])
        margin = figure["layout"]["margin"]
        assert figure["layout"]["height"] - margin["t"] - margin["b"] >= 19 * (len(names) + 1) + 10
    assert [2] == [len(both) for both in looks.values()]


@pytest.mark.slow
def test_all_ratios_of_a_single_claim_are_drawn(write):
    """The figure of one claim has a line for each of its ratios, that of several a line for each claim."""
    more = TEN + '[[figure]]\nof = "once"\nto = "ten_times"\npublished = 0.1\n'
    outcome = measured(write("once", "ten_times", more=more))
    lines = against_published((outcome,))["layout"]["yaxis"]["ticktext"]
    assert ["ten_times / once", "once / ten_times"] == [line.replace("<b>", "") for line in lines]
    assert 2 == len(against_published((outcome, replace(outcome, id="ours-other")))["layout"]["yaxis"]["ticktext"])
