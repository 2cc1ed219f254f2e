// The ranking: a dot with its interval for each case of a board, in sections of one work class.

function rankingView(choice) {
  const { board, every, shown, base, others } = choice;
  const ends = (row) => [row.time_ns_low ?? row.time_ns, row.time_ns, row.time_ns_high ?? row.time_ns];
  const unit = unitOf(every.map((row) => row.time_ns));
  const times = every.flatMap((row) => [...ends(row), others.get(row.name)?.time_ns]).filter((time) => time > 0);
  const scale = logScale(times.map((time) => time / unit[0]));
  const columns = { rank: "#", name: "library + format", value: "time", extra: againstHead(choice) };
  const line = (row) => {
    const { rank, label } = choice.told(row);
    const twin = others.get(row.name);
    return lane(scale, {
      rank,
      tied: rank.endsWith("="),
      base: row === base,
      name: caseLabel(row, label),
      value: timeText(row.time_ns, unit) + star(row),
      extra: twin ? twinText(row, twin) : againstText(choice, row),
      tip: tipOf(row, row.rank && `rank ${rank} of the rows with the same validation`, twin && twinText(row, twin)),
      draw: [
        base && rule(scale, base.time_ns / unit[0], "chosen"),
        dotWithInterval(scale, row, ends(row), unit[0]),
        twin && twinMark(percent(scale.at(twin.time_ns / unit[0])), page.marks[row.library][0]),
      ],
      more: () => facts(choice, row),
    });
  };
  const parts = board.sections.map(([name, entries]) => {
    const left = entries.map(([number]) => rowOf(board, number)).filter((row) => shown.includes(row));
    const head = laneHead(scale, unit[1], columns);
    const figure = () => lanes(others.size ? "twins" : "", `Times of ${name}`, head, left.map(line));
    return left.length > 0 && [h("h3", {}, name), figure()];
  });
  const mean = "mean CPU time of one call, with its 95% interval over fresh processes";
  const key = keyOf(
    every.length > 0 && [[sampleLine(), sampleMark()], mean],
    openKey(shown),
    others.size > 0 && [twinMark(15), page.runs[choice.run].published ? "this machine" : "the published run"],
    base && [s("line", { class: "chosen", x1: 15, x2: 15, y2: 14 }), "what you use today"],
  );
  return {
    ...{ finding: board.headline, where: board.where, cost: board.cost, next: board.next },
    parts: [parts, key, board.unranked && h("p", { class: "key" }, board.unranked)],
    reading:
      "Further left is faster. Rows share a rank such as 2= if no difference between them is proven. Kinds of " +
      "validation are ranked separately, because checking every type is more work. Filters hide rows; ranks stay those of all.",
  };
}

/** What the column beside the times holds: the words against the leader, or the ratio to what the reader chose. */
const againstHead = ({ base, leader, told }) =>
  base ? `time over ${told(base).name}` : leader ? `against ${told(leader).name}` : "";

function againstText({ base, told }, row) {
  // A break, if one is needed, stands before the interval.
  return (base ? relationText(row, base) : told(row).against).replace(/(?<=\(.*) /g, "\u00a0");
}

/** A time of the other machine: a stroke, as no library has. */
const twinMark = (x, stroke = GREY) => s("line", { class: "twin", x1: x, x2: x, y1: "10%", y2: "90%", stroke });

/** How the other machine compares: that of the published results, or one's own. */
function twinText(row, twin) {
  const isPublished = page.runs[twin.run].published;
  const [here, there] = isPublished ? [row, twin] : [twin, row];
  return `${isPublished ? "published" : "here"} ${ownTime(twin.time_ns)}: ${threeDigits(here.time_ns / there.time_ns)}× here`;
}

VIEWS.ranking = { title: "Ranking", show: rankingView };
