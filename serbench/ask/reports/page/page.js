// The page: shows the selected view and handles events. The explorer shows views below an element of its own.

const DRAWN = new Map();
const byId = (id) => root.getElementById(id);
let last = ""; // the view that was shown last
let current = null; // what it shows

/** Change the selection, the URL and the view; `quiet` adds no entry to the browser's history. */
function go(change, { quiet = false } = {}) {
  if (["view", ...LISTS].some((name) => name in change)) change = { all: "", ...change };
  state = { ...state, ...change };
  if (host) return host.chosen(change);
  history[quiet ? "replaceState" : "pushState"](null, "", written(state));
  show();
}

/** A box for a chart, which is redrawn whenever its width changes. */
function drawn(draw) {
  const box = h("div", { class: "drawn" });
  DRAWN.set(box, draw);
  return box;
}

function redraw(width) {
  for (const [box, draw] of DRAWN) {
    const wide = Math.max(width || box.clientWidth, 240);
    if (!box.isConnected) DRAWN.delete(box);
    else if (box.dataset.width !== String(wide)) {
      box.replaceChildren(draw(wide));
      box.dataset.width = wide;
    }
  }
}

function show() {
  const again = focused();
  const reopen = opened();
  if (!host) {
    document.documentElement.dataset.theme = state.theme;
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    markTab(state.view, (view) => written({ ...state, view }));
  }
  try {
    const choice = VIEWS[state.view].isAlone || !rows.length ? null : chosen();
    current = choice;
    byId("choice")?.classList.toggle("opened", isOpened);
    if (!host) fill(byId("choice"), choice ? controls(choice).filter(Boolean) : []);
    byId("view").replaceChildren(...viewed(choice).flat(Infinity).filter(Boolean));
    byId("origin").replaceChildren(...(choice ? origin(choice) : []), ...(host ? [] : [made()]));
  } catch (error) {
    const text = `This view cannot be drawn: ${error.message}. The other views and the data are not affected.`;
    byId("view").replaceChildren(h("p", { class: "note" }, text));
    console.error(error);
  }
  redraw();
  reopen();
  again();
  last = state.view;
  if (!host) document.documentElement.dataset.shown = state.view;
}

/** Have these children alone in an element; those that stay are not moved, which would close or scroll them. */
function fill(element, children) {
  for (const old of [...element.children]) if (!children.includes(old)) old.remove();
  children.forEach((child, place) => {
    if (element.children[place] !== child) element.insertBefore(child, element.children[place] ?? null);
  });
}

const titles = Object.fromEntries(Object.entries(VIEWS).map(([name, { title }]) => [name, title]));
const markTab = host ? null : tabs(byId("views"), titles, "view", (view) => go({ view }));

/** The view's finding, its data, notes on the selection, its parts, and how to read it. */
function viewed(choice) {
  const { show, isAlone, isWhole } = VIEWS[state.view];
  const { finding, about, parts, reading, where } =
    choice || isAlone ? show(choice) : { finding: host.nothing, parts: [] };
  if (!host || host.hasPage) document.title = `${finding} · serbench`;
  if (byId("told").textContent !== finding) byId("told").textContent = finding; // said once
  return [
    choice && state.view === "ranking" && answer(choice),
    h("h2", { id: "finding" }, finding),
    choice && h("p", { class: "where" }, [where ?? dataWords(choice.at), about, !where && trusted(choice)].filter(Boolean).join(" · ")),
    choice?.notes.map((text) => h("p", { class: "note" }, text)),
    parts,
    reading && h("p", { class: "reading" }, reading),
    choice && !isWhole && missing(choice),
  ];
}

/** The answer of the shown run as commands end, which is on all its cases; beside today's case, the comparison says it. */
function answer({ board, base, isAway }) {
  const isFiltered = LISTS.some((name) => state[name].length) || state.validating || state.objects;
  if (!page.closings || base || isAway || isFiltered) return null;
  const { labels, lines } = page.closings;
  const [, ...places] = answerOf(board[0]) ?? [];
  return closing(places.map((place, number) => [labels[number], lines[place]]).filter(([, text]) => text));
}

/** The answer on the data of a row: the place of the row of its case, and those of its lines. */
function answerOf(row) {
  const isHere = (other) => ["run", "workload", "conditions", "records", "depth"].every((name) => other[name] === row[name]);
  return page.closings?.answers.find(([place]) => isHere(rows[place]));
}

/** That the shown run was quiet, which a headline on a noisy one says otherwise. */
const trusted = ({ run, held }) => (page.runs[run].least || held.isMixed ? "" : page.runs[run].trusted);

const dataWords = ({ operation, workload, conditions, records, depth }) =>
  `${operation} · ${workload} · ${plural(records, "record")} · depth ${count(depth)} · ${conditions}`;

/** Remember the focused element; the returned function focuses it again, or its replacement. */
function focused() {
  const { id, selectionStart } = root.activeElement ?? {};
  return () => {
    const found = id ? byId(id) : null;
    found?.focus({ preventScroll: true });
    if (found?.type === "search") found.setSelectionRange(selectionStart, selectionStart);
  };
}

/** Remember which lines are open; the returned function opens them again, unless the view is another. */
function opened() {
  const lines = (which) => [...root.querySelectorAll(`#view details.row${which} > summary .name`)];
  const names = new Set(lines("[open]").map((one) => one.textContent));
  return () => {
    if (state.view !== last) return;
    for (const one of lines("")) if (names.has(one.textContent)) one.closest("details").open = true;
  };
}

function isDark() {
  return (state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function listen() {
  byId("choose").addEventListener("click", () => byId("choice").scrollIntoView());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // what stands behind the # is the choice
    byId("view").focus();
  });
  byId("link").addEventListener("click", () => copied(byId("link"), location.href));
  byId("theme").addEventListener("click", () => go({ theme: isDark() ? "light" : "dark" }, { quiet: true }));
  byId("choice").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => {
    state = read(location.hash);
    show();
  });
  addEventListener("beforeprint", () => redraw(660));
  addEventListener("afterprint", () => redraw());
}

function listenEverywhere() {
  let wide = 0;
  const resized = ([{ contentRect }]) => {
    if (contentRect.width !== wide) redraw(); // of its height it is itself the cause
    wide = contentRect.width;
  };
  new ResizeObserver(resized).observe(byId("view"));
}

function begin(content) {
  page = content;
  rows = unpack([content]);
  state = read(location.hash);
  show();
}

let contents = new Map(); // text of a run → its rows; runs that stay are not read again

/** Show the explorer's selection of stored rows, of those of the run in progress, and of probes, if there are any. */
function draw(selection, stored, running, further) {
  if (page?.stored !== stored || page.running !== running || page.further !== further) {
    if (page?.stored !== stored) {
      contents = new Map(stored.parts.map((text) => [text, contents.get(text) ?? JSON.parse(text)]));
      storedRows = unpack([...contents.values()]);
    }
    const now = (running?.parts ?? []).map((text) => JSON.parse(text));
    const parts = [...contents.values(), ...now, further];
    const every = (name) => Object.assign({}, ...parts.map((one) => one[name]));
    const runs = [...contents.values()].flatMap((one) => one.runs);
    page = { ...stored, marks: every("marks"), classes: every("classes"), matrices: further.matrices, stored, running, further };
    page.runs = [...runs, ...now.flatMap((one) => one.runs.map((run) => ({ ...run, running: true })))];
    rows = [...storedRows, ...unpack(now, storedRows.length, runs.length)];
  }
  state = { ...EMPTY, ...state, ...selection };
  show();
}

// For the console, for tests, and for the explorer: the rows, and the functions that work on them.
const shownPage = {
  ...{ begin, draw, show, go, chosen, csv, lit, threeDigits, unitOf, logTicks },
  ...{ reranked, relation, relationText, paretoFront },
  ...{ phaseTimes, budgets, series, lead, leadText, field, fieldText, tradeoffFinding, phasesFinding, scalingFinding },
  titles,
  rows: () => rows,
  choice: () => current,
  page: () => page,
};
listenEverywhere();
if (host) return shownPage;
globalThis.serbench = shownPage;
begin(globalThis.serbenchContent ?? JSON.parse(byId("data").textContent));
listen();
performance.mark("serbench-shown");
