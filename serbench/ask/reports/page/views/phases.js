// The phases: each case's steps as one bar.

const DIRECTIONS = { encode: ["encode", "dump", "dumps"], decode: ["decode", "loads", "load"] };

function phasesView(choice) {
  const pieces = phaseTimes(choice.point, page.phases);
  const isWhole = ([row, times]) => oneWay(choice, row, times) === null;
  const found = [...pieces.filter(isWhole), ...pieces.filter((one) => !isWhole(one))];
  const finding = found.length ? phasesFinding(found, leastOf(choice.point)) : nothing(choice);
  if (!found.length) return { finding, parts: [] };
  const unit = unitOf(found.map(([, times]) => sum(times)));
  const inTime = choice.state.bars === "time";
  const scale = inTime
    ? linearScale(
        found.map(([, times]) => sum(times) / unit[0]),
        { fromZero: true },
      )
    : linearScale([100], { fromZero: true });
  const used = Object.keys(page.phases).filter((name) => found.some(([, times]) => name in times));
  const legend = h(
    "ul",
    { class: "legend" },
    used.map((name) => h("li", {}, swatch(page.phases[name][0]), h("b", {}, name), ` ${page.phases[name][1]}`)),
  );
  const bars = h(
    "div",
    { class: "fields" },
    h(
      "label",
      {},
      "Bars show ",
      h(
        "select",
        { id: "bars", change: (event) => go({ bars: event.target.value }) },
        [
          ["", "shares of the sum"],
          ["time", "times"],
        ].map(([value, text]) => h("option", { value, selected: value === choice.state.bars }, text)),
      ),
    ),
  );
  const lines = found.map(([row, times]) => {
    const missing = oneWay(choice, row, times);
    const whole = inTime ? unit[0] : sum(times) / 100;
    let from = 0;
    return lane(scale, {
      name: caseLabel(row),
      value: timeText(sum(times), unit),
      extra: missing
        ? `no ${missing.operation}: ${missing.status}`
        : hasSteps(times)
          ? `${(100 * modelShare(times)).toFixed(0)} % models`
          : "in one step",
      draw: Object.entries(times).map(([name, ns]) => {
        const x = scale.at(from / whole);
        from += ns;
        return s(
          "rect",
          { x: percent(x), width: percent(scale.at(ns / whole)), y: 4, height: 14, fill: page.phases[name][0] },
          s("title", {}, `${name}, ${page.phases[name][1]}: ${timeText(ns, unit)}`),
        );
      }),
      more: () =>
        h(
          "div",
          { class: "facts" },
          h(
            "dl",
            {},
            Object.entries(times).map(([name, ns]) =>
              h("div", {}, h("dt", {}, `${name}: ${page.phases[name][1]}`), h("dd", {}, ownTime(ns))),
            ),
          ),
          missing && h("p", {}, `${missing.operation}: ${reasonOf(missing)}`),
        ),
    });
  });
  return {
    finding,
    where:
      `both ways · ${choice.at.workload} · ${plural(choice.at.records, "record")} · depth ` +
      `${count(choice.at.depth)} · ${choice.at.conditions}`,
    parts: [
      bars,
      legend,
      lanes(
        "unranked",
        inTime ? "Time of each step" : "Share of each step",
        laneHead(scale, inTime ? unit[1] : "% of the sum", { rank: "", name: "case", value: "sum", extra: "" }),
        first(choice, lines),
      ),
    ],
    reading:
      "Mean CPU time of each step of a case, for encoding and decoding. If a library converts " +
      "between objects and bytes in one step, there is one piece. Steps are timed separately, " +
      "so they may not add up exactly to the whole; “models” is the share of converting " +
      "between objects and builtins. Cases that support only one direction come last.",
  };
}

/** The row that explains a missing direction of a case, if one is missing. */
function oneWay(choice, row, times) {
  const lost = Object.entries(DIRECTIONS).find(([, names]) => !names.some((name) => name in times));
  if (!lost) return null;
  const found = choice.point.find((one) => one.case === row.case && one.operation === lost[0] && !isMeasured(one));
  return found || { operation: lost[0], status: "not asked for", reason: "the run was not asked for it" };
}

VIEWS.phases = { title: "Phases", show: phasesView };
