// The budget: messages per second for a bandwidth and a number of cores, and which of the two is the limit.

const BANDWIDTHS = [
  [1, "bit/s"],
  [1e3, "kbit/s"],
  [1e6, "Mbit/s"],
  [1e9, "Gbit/s"],
];

function bandwidthText(bits) {
  const [size, unit] = [...BANDWIDTHS].reverse().find(([one]) => bits >= one) || BANDWIDTHS[0];
  return `${Number((bits / size).toPrecision(4)).toLocaleString("en-US")} ${unit}`;
}

function budgetLanes(choice, scale, found) {
  const line = (one) =>
    lane(scale, {
      name: caseLabel(one.row),
      value: threeDigits(one.perS),
      base: one.row === choice.base,
      extra: `${one.bottleneck}${one.compression === "none" ? "" : `, ${one.compression}`}`,
      draw: mark(page.marks[one.row.library], percent(scale.at(one.perS)), 11),
      more: () => h("div", { class: "facts" }, h("p", {}, budgetText(one)), facts(choice, one.row)),
    });
  const names = { rank: "", name: "case", value: "per second", extra: "limited by" };
  const head = laneHead(scale, "messages per second", names);
  return lanes("unranked", "Messages per second", head, first(choice, found.map(line)));
}

const budgetText = (one) =>
  `The cores can process ${threeDigits(one.cpuPerS)} messages per second; the bandwidth ` +
  `allows ${threeDigits(one.linePerS)} of ${count(one.size)} bytes.`;

function budgetView(choice) {
  const { state } = choice;
  const bandwidth = Number(state.bandwidth) > 0 ? Number(state.bandwidth) : 1e9;
  const cores = Number(state.cores) >= 1 ? Number(state.cores) : 4;
  const compression = COMPRESSIONS.includes(state.compression) ? state.compression : "";
  const found = budgets(choice.shown, bandwidth, cores, compression ? [compression] : COMPRESSIONS);
  const line = `${bandwidthText(bandwidth)} and ${plural(cores, "core")}`;
  const finding = choice.shown.some(isMeasured)
    ? budgetFinding(found, line, page.verbs, leastOf(choice.shown))
    : nothing(choice);
  const [size] = [...BANDWIDTHS].reverse().find(([one]) => bandwidth >= one) || BANDWIDTHS[0];
  const unit = h(
    "select",
    { id: "unit", "aria-label": "Unit of the bandwidth", change: () => take(number.box.value) },
    BANDWIDTHS.slice(1).map(([one, name]) => h("option", { value: one, selected: one === size }, name)),
  );
  const take = (value) => {
    if (value > 0) go({ bandwidth: String(value * unit.value) });
  };
  const number = numberBox("Bandwidth", take, { id: "bandwidth", min: 0.001, step: "any" }, unit);
  const most = numberBox("Cores", (value) => go({ cores: String(value) }), { id: "cores", min: 1, step: 1 });
  const by = select("Compression", (value) => go({ compression: value }), { id: "compression" });
  const controls = h(
    "div",
    { class: "fields" },
    showing(number, bandwidth / size),
    showing(most, cores),
    showing(by, [["", "the best of them"], ...COMPRESSIONS], compression),
  );
  const parts = [controls];
  if (found.length) {
    const scale = logScale(found.map((one) => one.perS));
    for (const [why, members] of groupBy(found, (one) => one.row.why_incomparable))
      parts.push(why && h("h3", {}, why), budgetLanes(choice, scale, members));
  }
  const unknown = choice.shown.filter((row) => isMeasured(row) && !found.some((one) => one.row === row));
  if (unknown.length)
    parts.push(
      h(
        "p",
        { class: "note" },
        `Without a size or a time of ${compression || "any compression"}, so without a budget: ` +
          `${unknown.map((row) => row.name).join(", ")}`,
      ),
    );
  return {
    finding,
    parts,
    reading:
      "Upper limits: the smaller of the rates that cores and bandwidth allow, excluding " +
      "headers and any other work, with the best compression.",
  };
}

VIEWS.budget = { title: "Budget", show: budgetView };
