// What the reader uses today: what a change to the fastest case that checks as much would gain and lose.

/** A sentence for each thing that a change of the chosen case would bring; nothing if none is chosen. */
function todayPart(choice) {
  const { base } = choice;
  if (!base || host) return null; // the kernel says more
  const able = choice.shown.filter((row) => isMeasured(row) && row.kind <= base.kind);
  const best = able.reduce((one, other) => (other.time_ns < one.time_ns ? other : one), base);
  const least = page.runs[choice.run].least;
  const isBetter = isSlower(base, best, least);
  if (!isBetter)
    return h(
      "p",
      { class: "today" },
      h("b", {}, `You use ${base.name}: no case that checks as much is proven faster here.`),
    );
  const gains = ["decode", "encode"]
    .map((operation) => speedText(choice, base, best, operation, least))
    .filter(Boolean);
  const losses = [
    sizeChange(base, best),
    base.checks !== best.checks && `decoding: “${classText(best.checks)}”, not “${classText(base.checks)}”`,
    ...Object.keys(page.matrices.outcomes).map((matrix) => probeChange(base, best, matrix)),
  ];
  return h(
    "div",
    { class: "today" },
    h("b", {}, `You use ${base.name}; ${best.name} ${gains.join(", ")}`),
    h(
      "ul",
      {},
      losses.filter(Boolean).map((text) => h("li", {}, text)),
    ),
    h("button", { type: "button", click: () => go({ view: "code", case: best.case }) }, "Show the code of the change"),
  );
}

function speedText(choice, base, best, operation, least) {
  const of = ({ case: name }) => {
    const isIt = (row) => row.case === name && row.operation === operation && row.run === choice.run && isMeasured(row);
    return choice.here.find((row) => isIt(row) && row.records === base.records && row.depth === base.depth);
  };
  const [now, then] = [of(base), of(best)];
  if (!now || !then) return null;
  const verb = page.verbs[operation] || operation;
  if (isSlower(now, then, least)) return `${verb} ${factorText(relation(now, then).ratio)} faster`;
  return isSlower(then, now, least)
    ? `${verb} ${factorText(relation(then, now).ratio)} slower`
    : `${verb} with no proven difference`;
}

function sizeChange(base, best) {
  if (!base.size_bytes || !best.size_bytes) return null;
  return base.size_bytes === best.size_bytes
    ? `${sizeText(best.size_bytes)}, as now`
    : `${sizeText(best.size_bytes)} instead of ${count(base.size_bytes)}`;
}

/** How many probes of a matrix come out well now, and how many then. */
function probeChange(base, best, matrix) {
  const { cases, outcomes } = page.matrices;
  const [good] = Object.keys(outcomes[matrix]);
  const told = [base, best].map((row) => {
    const isIt = (probed) => ["library", "version", "codec", "format"].every((name) => probed[name] === row[name]);
    const one =
      row.variant === "default" && cases.find((probed) => isIt(probed) && !probed.name.includes("[") && probed[matrix]);
    const found = one && findingsOf(one, matrix);
    return found && `${found.filter(([, { outcome }]) => outcome === good).length} of ${found.length}`;
  });
  if (!told[0] || !told[1]) return null;
  return (
    `${matrix === "fidelity" ? "awkward values kept exactly" : "wrong inputs rejected"}: ` +
    (told[0] === told[1] ? `${told[1]}, as today` : `${told[1]} after the change, ${told[0]} today`)
  );
}
