// The phases: each case's steps as one bar.

function phasesView(choice) {
  const { steps, board, at } = choice;
  const where = `${pointWords({ ...at, operation: "" })} · both ways`;
  if (!steps) return { finding: "No separate steps were measured here", where, parts: [] };
  const every = steps.lines.map(([number, times, ...told]) => [rowOf(board, number), times, ...told]);
  const sum = (times) => times.reduce((total, [, ns]) => total + ns, 0);
  const found = every.filter(([row]) => fits(row));
  const unit = unitOf(every.map(([, times]) => sum(times)));
  const scale = { at: (share) => share / 102, ticks: [0, 20, 40, 60, 80, 100], text: tickText };
  const used = new Set(every.flatMap(([, times]) => times.map(([name]) => name)));
  const entry = ([name, [colour, text]]) => h("li", {}, swatch(colour), h("b", {}, name), ` ${text}`);
  const legend = Object.entries(page.phases)
    .filter(([name]) => used.has(name))
    .map(entry);
  const line = ([row, times, extra, reason]) => {
    const whole = sum(times) / 100;
    let from = 0;
    const bar = ([name, ns]) => {
      const x = percent(scale.at(from / whole));
      from += ns;
      return s("rect", { x, width: percent(scale.at(ns / whole)), y: 4, height: 14, fill: page.phases[name][0] });
    };
    const told = times.map(([name, ns]) => [`${name}: ${page.phases[name][1]}`, ownTime(ns)]);
    return lane(scale, {
      name: caseLabel(row),
      value: timeText(sum(times), unit),
      extra,
      tip: [row.name, ...told.map(([name, time]) => `${name}, ${time}`)].join("\n"),
      draw: times.map(bar),
      more: () => h("div", { class: "facts" }, factList([...told, ["reason", reason]])),
    });
  };
  const head = laneHead(scale, "% of the sum", { rank: "", name: "library + format", value: "sum", extra: "" });
  return {
    finding: steps.title,
    where,
    parts: [
      h("ul", { class: "legend" }, legend),
      lanes("unranked", "Share of each step", head, found.map(line)),
    ],
    reading:
      "Mean CPU time of each step, for encoding and decoding. If a library converts between objects and bytes in one step, " +
      "there is one piece. Steps are timed separately, so they may not add up exactly to the whole; “models” is the share " +
      "of converting between objects and builtins. Rows that support only one direction come last.",
  };
}

VIEWS.phases = { title: "Phases", show: phasesView };
