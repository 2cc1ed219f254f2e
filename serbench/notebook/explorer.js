// The explorer's controls and views. It has no knowledge of its own: the kernel sends the available choices
// (`options`), receives the selection (`settings`) and responds with the results to show (`shown`).

const RECORDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5];
const DEPTHS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];
const TITLES = { tradeoff: "trade-off" };
const LIVE_PAUSE_MS = 600;
let serial = 0;

function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  // Lab applies its shortcuts to the focused element: arrows and Enter belong to the control.
  if (element.tabIndex >= 0 || attributes.role === "tab") element.setAttribute("data-lm-suppress-shortcuts", "true");
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function later(wait, act) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
}

/** A figure's title as text. */
const plain = (markup) => new DOMParser().parseFromString(markup.replaceAll("<br>", " "), "text/html").body.textContent;

const number = (value) => Number(value).toLocaleString("en");

/** plotly.js, sent by the kernel once for all explorers of a page. */
function plotly(model) {
  globalThis.serbenchPlotly ??= new Promise((resolve, reject) => {
    const receive = async (content, buffers) => {
      if (!content.plotly) return;
      model.off("msg:custom", receive);
      try {
        const unpacked = new Blob([buffers[0]]).stream().pipeThrough(new DecompressionStream("gzip"));
        const text = await new Response(unpacked).text();
        const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        // An AMD loader on the page (Notebook, Voila) would capture the library.
        const define = globalThis.define;
        globalThis.define = undefined;
        const script = h("script", { src: url });
        script.onload = () => {
          globalThis.define = define;
          resolve(globalThis.Plotly);
        };
        script.onerror = reject;
        document.head.append(script);
      } catch (error) {
        reject(error);
      }
    };
    model.on("msg:custom", receive);
    model.send({ do: "plotly" });
  });
  return globalThis.serbenchPlotly;
}

/** Wait until the element is on the page: a figure drawn earlier does not know its width. */
function onPage(element) {
  return new Promise((resolve) => {
    const look = () => (element.isConnected && element.clientWidth ? resolve() : requestAnimationFrame(look));
    look();
  });
}

/** The theme of the surrounding page, light or dark. */
function pageTheme() {
  const probe = h("div", { style: "background: var(--jp-layout-color0, Canvas)" });
  document.body.append(probe);
  const [r, g, b] = getComputedStyle(probe).backgroundColor.match(/[\d.]+/g).map(Number);
  probe.remove();
  return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}

/** A slider over fixed stops, with a box for any number next to it. */
function stepped(label, name, stops, context) {
  const id = `serbench-${++serial}`;
  const box = h("input", { type: "number", id, min: stops[0], max: stops.at(-1), class: "sb-number" });
  const slider = h("input", { type: "range", min: 0, max: stops.length - 1, step: 1, "aria-label": `${label}, slider` });
  const ticks = h("div", { class: "sb-ticks", "aria-hidden": "true" });
  const nearest = (value) =>
    stops.reduce((best, stop, i) => (Math.abs(Math.log(stop / value)) < Math.abs(Math.log(stops[best] / value)) ? i : best), 0);
  slider.addEventListener("input", () => {
    const value = stops[slider.value];
    box.value = value;
    slider.setAttribute("aria-valuetext", number(value));
    context.update({ [name]: value });
  });
  box.addEventListener("change", () => {
    if (box.value >= 1) context.update({ [name]: Math.round(box.value) });
  });
  context.syncs.push((settings, shown) => {
    if (document.activeElement !== box) box.value = settings[name];
    if (document.activeElement !== slider) slider.value = nearest(settings[name]);
    slider.setAttribute("aria-valuetext", number(settings[name]));
    const known = new Set((shown.stored?.[name] ?? []).map(nearest));
    ticks.replaceChildren(
      ...stops.map((stop, i) => h("span", { class: known.has(i) ? "sb-known" : "", title: `${number(stop)}` })),
    );
  });
  return h("div", { class: "sb-field sb-slider", title: context.help[name] },
    h("label", { for: id }, label),
    h("div", { class: "sb-row" }, h("div", { class: "sb-track" }, slider, ticks), box));
}

function select(label, name, choices, context, titles = {}) {
  const id = `serbench-${++serial}`;
  const list = h("select", { id, onchange: () => context.update({ [name]: list.value }) },
    ...choices.map((choice) => h("option", { value: choice, title: titles[choice] ?? "" }, choice)));
  context.syncs.push((settings) => { list.value = settings[name]; list.title = titles[settings[name]] ?? ""; });
  return h("div", { class: "sb-field", title: context.help[name] }, h("label", { for: id }, label), list);
}

function numberBox(label, name, step, context) {
  const id = `serbench-${++serial}`;
  const box = h("input", { type: "number", id, class: "sb-number", step, ...context.limits[name] });
  box.addEventListener("change", () => { if (box.value !== "") context.update({ [name]: Number(box.value) }); });
  context.syncs.push((settings) => { if (document.activeElement !== box) box.value = settings[name]; });
  return h("div", { class: "sb-field", title: context.help[name] }, h("label", { for: id }, label), box);
}

function check(label, name, context, on = true, off = false) {
  const id = `serbench-${++serial}`;
  const box = h("input", { type: "checkbox", id, onchange: () => context.update({ [name]: box.checked ? on : off }) });
  context.syncs.push((settings) => { box.checked = settings[name] === on; });
  return h("span", { class: "sb-check", title: context.help[name] }, box, h("label", { for: id }, label));
}

/** A searchable, grouped list of names to select from; no selection means all. */
function several(label, name, entries, context) {
  const id = `serbench-${++serial}`;
  const chosen = new Set();
  const boxes = new Map();
  const summary = h("summary", { id: `${id}-s` });
  const search = h("input", { type: "search", id, placeholder: "search", "aria-label": `Search ${label.toLowerCase()}` });
  const list = h("div", { class: "sb-list", role: "group", "aria-label": label });
  const change = () => {
    context.update({ [name]: [...chosen] });
    sync();
  };
  const groups = new Map();
  for (const entry of entries) {
    if (!groups.has(entry.group)) {
      groups.set(entry.group, h("div", { class: "sb-group" }, h("div", { class: "sb-group-name" }, entry.group)));
      list.append(groups.get(entry.group));
    }
    const box = h("input", { type: "checkbox", id: `${id}-${boxes.size}` });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(entry.value);
      else chosen.delete(entry.value);
      change();
    });
    const line = h("div", { class: "sb-line", title: entry.reason },
      box, h("label", { for: box.id }, entry.value, h("small", {}, ` ${entry.reason || entry.about}`)));
    boxes.set(entry.value, { box, line, text: `${entry.value} ${entry.group}`.toLowerCase() });
    groups.get(entry.group).append(line);
  }
  const sync = () => {
    for (const [value, { box }] of boxes) box.checked = chosen.has(value);
    const names = [...chosen];
    summary.textContent = `${label}: ${names.length === 0 ? "all" : names.length > 3 ? `${names.length} selected` : names.join(", ")}`;
  };
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const { line, text } of boxes.values()) line.hidden = !words.every((word) => text.includes(word));
    for (const group of groups.values()) group.hidden = ![...group.querySelectorAll(".sb-line")].some((line) => !line.hidden);
  });
  const setAll = (pick) => {
    chosen.clear();
    if (pick) for (const [value, { line }] of boxes) if (!line.hidden) chosen.add(value);
    change();
  };
  const details = h("details", { class: "sb-several" }, summary,
    h("div", { class: "sb-panel" }, search,
      h("div", { class: "sb-row" },
        h("button", { type: "button", onclick: () => setAll(true) }, "Select matches"),
        h("button", { type: "button", onclick: () => setAll(false) }, "All (clear)")),
      list));
  details.addEventListener("toggle", () => { if (details.open) search.focus(); });
  details.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { details.open = false; summary.focus(); }
  });
  details.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
  });
  context.syncs.push((settings) => {
    if (details.open) return;
    chosen.clear();
    for (const value of settings[name]) chosen.add(value);
    sync();
  });
  return h("div", { class: "sb-field", title: context.help[name] }, details);
}

function tabs(views, panel, context) {
  const buttons = views.map((view) => {
    const button = h("button", { type: "button", role: "tab", "data-view": view, "aria-controls": panel.id }, TITLES[view] ?? view);
    button.addEventListener("click", () => context.update({ view }));
    return button;
  });
  const bar = h("div", { class: "sb-tabs", role: "tablist", "aria-label": "View" }, ...buttons);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
    event.preventDefault();
  });
  context.syncs.push((settings) => {
    for (const button of buttons) {
      const active = button.dataset.view === settings.view;
      button.setAttribute("aria-selected", active);
      button.tabIndex = active ? 0 : -1;
    }
  });
  return bar;
}

/** Replace what is within an element; the control that has the focus, by its key, and how far lists are scrolled stay. */
function redraw(element, ...children) {
  const key = element.contains(document.activeElement) && document.activeElement.dataset.key;
  const scrolled = [...element.querySelectorAll(".sb-scroll")].map((list) => [list.scrollLeft, list.scrollTop]);
  element.replaceChildren(...children);
  element.querySelectorAll(".sb-scroll").forEach((list, i) => list.scrollTo(...(scrolled[i] ?? [0, 0])));
  if (key) [...element.querySelectorAll("[data-key]")].find((control) => control.dataset.key === key)?.focus({ preventScroll: true });
}

async function copy(text, button, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Insecure pages have only the old clipboard interface.
    const area = h("textarea", { style: "position: fixed; opacity: 0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const label = button.textContent;
  button.textContent = said;
  setTimeout(() => { button.textContent = label; }, 1500);
}

function drawGrid(place, grid, context) {
  const settings = context.settings();
  const heading = h("tr", {}, h("th", { scope: "col" }, "compare"), ...grid.columns.map((column) => {
    const active = settings.sort === column.key;
    const button = h("button", { type: "button", "data-key": column.key, onclick: () => context.update({ sort: column.key, descending: active && !settings.descending }) },
      column.heading + (active ? (settings.descending ? " ▼" : " ▲") : ""));
    return h("th", { scope: "col", class: column.number ? "sb-right" : "", "aria-sort": active ? (settings.descending ? "descending" : "ascending") : "none" }, button);
  }));
  const lines = grid.lines.map((line) => {
    const base = settings.base === line.key;
    const button = h("button", { type: "button", "data-key": line.key, "aria-pressed": base, "aria-label": `Compare with ${line.cells.slice(1, 5).join(" ")}`,
      onclick: () => context.update({ base: base ? "" : line.key }) }, base ? "●" : "○");
    return h("tr", { class: [line.failed ? "sb-failed" : "", base ? "sb-base" : ""].join(" "), title: line.reason ?? "" },
      h("td", {}, button),
      ...line.cells.map((cell, i) => h("td", { class: grid.columns[i].number ? "sb-right" : "" },
        grid.columns[i].key === "status" && line.reason ? `${cell}: ${line.reason}` : cell)));
  });
  const many = grid.found > grid.lines.length ? `; showing the first ${number(grid.lines.length)}` : "";
  redraw(place.table,
    h("p", { class: "sb-small" }, `${number(grid.found)} of ${number(grid.total)} rows${many}. Ranks (#) apply within a work class. Click ○ in a row to compare the others with it.`),
    h("div", { class: "sb-scroll", tabindex: 0, role: "region", "aria-label": "Results", "data-key": "Results" },
      h("table", {}, h("thead", {}, heading), h("tbody", {}, ...lines))),
    ...grid.overall.map(overallTable));
}

/** The geometric means over all sizes and depths. */
function overallTable(board) {
  return h("div", { class: "sb-scroll", tabindex: 0, role: "region", "aria-label": board.title },
    h("h4", {}, board.title),
    h("table", {},
      h("thead", {}, h("tr", {}, ...["library", "codec"].map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "sb-right" }, "mean ratio"))),
      h("tbody", {}, ...board.sections.flatMap(([name, lines]) => [
        h("tr", {}, h("th", { scope: "rowgroup", colspan: 3 }, name)),
        ...lines.map(([library, codec, mean]) => h("tr", {}, h("td", {}, library), h("td", {}, codec), h("td", { class: "sb-right" }, mean))),
      ]))));
}

function drawCode(place, code, context) {
  const text = JSON.stringify(code);
  if (place.code.drawn === text) return; // what is selected or said to be copied stays
  place.code.drawn = text;
  const id = `serbench-${++serial}`;
  const list = h("select", { id, "data-key": "case", onchange: () => context.update({ case: list.value }) },
    ...[...new Set([code.case, ...code.cases])].map((name) => h("option", { value: name }, name)));
  list.value = code.case;
  const button = h("button", { type: "button", class: "sb-copy", "data-key": "copy" }, "Copy code");
  button.addEventListener("click", () => copy(code.source, button, "Copied"));
  const pre = h("pre", { class: "sb-code highlight", tabindex: 0, "data-key": "source", "aria-label": "Measured source" });
  if (code.html) pre.innerHTML = code.html; // generated by Pygments, which escapes the source
  else pre.textContent = code.reason;
  redraw(place.code,
    h("div", { class: "sb-row" }, h("label", { for: id }, "Case"), list, button,
      h("span", { class: "sb-small" }, code.sha256 ? `the exact measured source, sha256 ${code.sha256.slice(0, 12)}` : "")),
    pre);
}

function drawFailed(place, failed) {
  const grave = failed.filter((row) => !["unsupported", "unavailable"].includes(row.status));
  const others = failed.filter((row) => ["unsupported", "unavailable"].includes(row.status));
  const item = (row) => h("li", {}, h("b", {}, row.case), ` ${row.status}: ${row.reason}`);
  const open = place.failed.querySelector("details")?.open ?? false;
  redraw(place.failed,
    ...(grave.length ? [h("ul", { class: "sb-failures", "aria-label": "Failed" }, ...grave.map(item))] : []),
    ...(others.length
      ? [h("details", { class: "sb-small", open }, h("summary", { "data-key": "reasons" }, `${others.length} not measured (reasons)`), h("ul", {}, ...others.map(item)))]
      : []));
}

function render({ model, el }) {
  const root = h("div", { class: "serbench-explorer" });
  const options = model.get("options");
  const syncs = [];
  const context = {
    syncs,
    help: options.help,
    limits: options.limits,
    settings: () => model.get("settings"),
    update(changes) {
      model.set("settings", { ...model.get("settings"), ...changes });
      model.save_changes();
      for (const sync of syncs) sync(model.get("settings"), model.get("shown"));
    },
  };

  // The controls.
  const about = Object.fromEntries(options.workloads.map((workload) => [workload.value, workload.about]));
  const leastDepth = Object.fromEntries(options.workloads.map((workload) => [workload.value, workload.depth]));
  const measure = () => model.send({ do: "run", settings: model.get("settings") }); // it may overtake their own message
  const run = h("button", { type: "button", class: "sb-run", onclick: measure });
  const cancel = h("button", { type: "button", onclick: () => model.send({ do: "cancel" }) }, "Cancel");
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  const says = h("span", { class: "sb-small", role: "status" });
  const search = h("input", { type: "search", id: `serbench-${++serial}`, placeholder: "such as msgspec json" });
  search.addEventListener("input", () => context.update({ contains: search.value }));
  syncs.push((settings) => { if (document.activeElement !== search) search.value = settings.contains; });
  const workload = select("Workload", "workload", options.workloads.map((w) => w.value), context, about);
  workload.querySelector("select").addEventListener("change", (event) => {
    const least = leastDepth[event.target.value];
    if (context.settings().depth < least) context.update({ depth: least });
  });
  const controls = h("div", { class: "sb-controls", role: "group", "aria-label": "Choices" },
    workload,
    stepped("Records", "records", RECORDS, context),
    stepped("Depth", "depth", DEPTHS, context),
    select("Operation", "operation", options.operations, context),
    h("div", { class: "sb-break" }),
    several("Libraries", "libraries", options.libraries, context),
    several("Formats", "formats", options.formats, context),
    h("div", { class: "sb-field sb-checks" },
      check("validating only", "validating", context),
      check("objects only", "objects", context),
      check("garbage collector", "gc", context, "on", "off"),
      check("varied data", "conditions", context, "varied", "hot")),
    h("details", { class: "sb-more" }, h("summary", {}, "More"), h("div", { class: "sb-panel sb-panel-row" },
      select("Effort", "effort", options.efforts, context),
      numberBox("Seed", "seed", 1, context),
      numberBox("Stop after (s, 0 never)", "budget", 10, context),
      check("measure as I move", "live", context))));
  const action = h("div", { class: "sb-row sb-action" }, run, cancel, bar, says);

  // The views.
  const panel = h("div", { class: "sb-view", role: "tabpanel", id: `serbench-${++serial}`, "aria-label": "Results", "aria-busy": "true" });
  const place = {
    note: h("div", { class: "sb-note", role: "status" }),
    failed: h("div"),
    figure: h("div", { class: "sb-figure" }),
    table: h("div"),
    code: h("div"),
  };
  const origin = h("div", { class: "sb-small sb-origin" });
  const filter = h("div", { class: "sb-row", hidden: true }, h("label", { for: search.id }, "Filter"), search);
  const means = h("div", { class: "sb-row", hidden: true },
    numberBox("Bandwidth, Mbit/s", "bandwidth", "any", context),
    numberBox("Cores", "cores", 1, context));
  const share = h("button", { type: "button" }, options.app ? "Copy link" : "Copy state");
  share.addEventListener("click", () => {
    const link = `${location.origin}${location.pathname}?state=${encodeURIComponent(model.get("state"))}`;
    copy(options.app ? link : `serbench.Explorer(${JSON.stringify(model.get("state"))})`, share, "Copied");
  });
  let saved = Promise.resolve();
  const exports = ["svg", "png"].map((format) => {
    const save = async () => {
      const filename = `serbench-${model.get("settings").view}`;
      const scale = format === "png" ? 2 : 1;
      await (await plotly(model)).downloadImage(place.figure, { format, filename, width: place.figure.clientWidth, scale });
    };
    // Plotly saves one image at a time.
    return h("button", { type: "button", onclick: () => { saved = saved.then(save, save); } }, format.toUpperCase());
  });
  panel.append(place.note, filter, means, place.failed, place.figure, place.table, place.code);
  root.append(controls, action,
    h("div", { class: "sb-row sb-head" }, tabs(options.views, panel, context), h("span", { class: "sb-spring" }), ...exports, share),
    origin, panel);
  el.append(root);

  const live = later(LIVE_PAUSE_MS, () => {
    const wanted = model.get("settings").live && model.get("shown").missing;
    if (wanted) measure();
  });

  let answered; // the settings whose results are on the page
  const markBusy = () => panel.setAttribute("aria-busy", answered !== JSON.stringify(model.get("settings")));

  async function draw() {
    const shown = model.get("shown");
    for (const sync of syncs) sync(model.get("settings"), shown);
    run.textContent = `Run: ${shown.run_text}`;
    place.note.textContent = shown.note ?? "";
    place.note.hidden = !shown.note;
    origin.textContent = shown.origin ?? "";
    filter.hidden = shown.view !== "table";
    means.hidden = shown.view !== "budget";
    place.figure.hidden = shown.kind !== "figure";
    place.table.hidden = shown.kind !== "grid";
    place.code.hidden = shown.kind !== "code";
    for (const button of exports) button.disabled = shown.kind !== "figure";
    drawFailed(place, shown.kind === "grid" ? [] : shown.failed ?? []);
    if (shown.kind === "grid") drawGrid(place, shown.grid, context);
    if (shown.kind === "code") drawCode(place, shown.code, context);
    if (shown.kind === "figure") {
      const { title, height } = shown.figure.layout;
      place.figure.style.minHeight = `${height}px`;
      if (!place.figure.data) place.figure.replaceChildren(h("b", { class: "sb-finding" }, plain(title.text)));
      const library = await plotly(model);
      await onPage(root);
      if (model.get("shown").serial !== shown.serial) return;
      place.figure.querySelector(".sb-finding")?.remove();
      const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "toImage"] };
      const paper = getComputedStyle(root).backgroundColor; // also for exported images
      const layout = { ...shown.figure.layout, paper_bgcolor: paper, plot_bgcolor: paper };
      await library.react(place.figure, shown.figure.data, layout, config);
      if (model.get("shown").serial !== shown.serial) return;
      place.figure.setAttribute("role", "img");
      place.figure.setAttribute("aria-label", plain(title.text));
    }
    if (!answered) model.send({ do: "drawn" });
    answered = JSON.stringify(shown.settings);
    markBusy();
    live();
  }

  function drawProgress() {
    const progress = model.get("progress");
    run.disabled = progress.running;
    cancel.disabled = !progress.running;
    bar.hidden = !progress.running;
    bar.value = progress.fraction;
    says.textContent = progress.error || progress.text;
    says.classList.toggle("sb-error", Boolean(progress.error));
    root.dataset.running = progress.running;
  }

  const detectTheme = () => {
    const theme = pageTheme();
    if (theme !== model.get("theme")) { model.set("theme", theme); model.save_changes(); }
    root.dataset.theme = theme;
  };
  const watcher = new MutationObserver(later(100, detectTheme));
  watcher.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name"] });
  const widths = new ResizeObserver(later(100, () => {
    if (place.figure.data && !place.figure.hidden && place.figure.clientWidth) globalThis.Plotly?.Plots.resize(place.figure);
  }));
  widths.observe(panel);
  model.on("change:settings", markBusy);
  model.on("change:shown", draw);
  model.on("change:progress", drawProgress);
  detectTheme();
  draw();
  drawProgress();
  return () => {
    watcher.disconnect();
    widths.disconnect();
    model.off("change:settings", markBusy);
    model.off("change:shown", draw);
    model.off("change:progress", drawProgress);
    globalThis.Plotly?.purge(place.figure);
  };
}

// Load the library before there is anything to draw.
export default { initialize: ({ model }) => { plotly(model); }, render };
