// The budget: messages per second for a bandwidth and a number of cores, and which of the two is the limit.

function budgetView(choice) {
  const { board, shown } = choice;
  if (!board.budgets)
    return { finding: `Messages per second exist only for encode and decode, not for ${choice.at.operation}`, parts: [] };
  const known = page.bandwidths.map(([bits]) => bits);
  const bandwidth = known.includes(state.bandwidth) ? state.bandwidth : known[1];
  const cores = page.cores.map(String).includes(state.cores) ? state.cores : String(page.cores[1]);
  const { title: finding, lines } = board.budgets[`${bandwidth}/${cores}`];
  const controls = h(
    "div",
    { class: "fields" },
    oneOf("bandwidth", "Bandwidth", page.bandwidths, bandwidth),
    oneOf("cores", "Cores", page.cores.map(String), cores),
  );
  const every = lines.map(([number, ...told]) => [rowOf(board, number), ...told]);
  const scale = logScale(every.map(([, perS]) => perS));
  const line = ([row, perS, limit]) =>
    lane(scale, {
      name: caseLabel(row),
      value: count(perS),
      base: row === choice.base,
      extra: limit,
      tip: tipOf(row, `${count(perS)} messages per second, limited by the ${limit}`),
      draw: mark(page.marks[row.library], percent(scale.at(perS)), 11),
      more: () => facts(choice, row),
    });
  const names = { rank: "", name: "library + format", value: "per second", extra: "limited by" };
  const left = every.filter(([row]) => shown.includes(row));
  const parts = [...Map.groupBy(left, ([row]) => row.apart)].map(([why, members]) => [
    why && h("h3", {}, why),
    lanes("unranked", "Messages per second", laneHead(scale, "messages per second", names), members.map(line)),
  ]);
  return {
    finding,
    parts: [controls, parts],
    reading:
      "Upper limits: the smaller of the rates that cores and bandwidth allow, excluding headers and any other work, with the " +
      "best compression.",
  };
}

VIEWS.budget = { title: "Budget", show: budgetView };
