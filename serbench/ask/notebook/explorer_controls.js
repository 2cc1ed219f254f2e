// The explorer's controls: each changes a setting, and follows the settings.

const RECORDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5];
const DEPTHS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];

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
  context.syncs.push((settings) => {
    if (focused(box) !== box) box.value = settings[name];
    if (focused(slider) !== slider) slider.value = nearest(settings[name]);
    slider.setAttribute("aria-valuetext", number(settings[name]));
    const known = new Set(context.stored(name).map(nearest));
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
  const list = h("select", { id, change: () => context.update({ [name]: list.value }) },
    ...choices.map((choice) => h("option", { value: choice, title: titles[choice] ?? "" }, choice)));
  context.syncs.push((settings) => { list.value = settings[name]; list.title = titles[settings[name]] ?? ""; });
  return h("div", { class: "sb-field", title: context.help[name] }, h("label", { for: id }, label), list);
}

function numberBox(label, name, step, context) {
  const id = `serbench-${++serial}`;
  const box = h("input", { type: "number", id, class: "sb-number", step, ...context.limits[name] });
  box.addEventListener("change", () => { if (box.value !== "") context.update({ [name]: Number(box.value) }); });
  context.syncs.push((settings) => { if (focused(box) !== box) box.value = settings[name]; });
  return h("div", { class: "sb-field", title: context.help[name] }, h("label", { for: id }, label), box);
}

function check(label, name, context, on = true, off = false) {
  const id = `serbench-${++serial}`;
  const box = h("input", { type: "checkbox", id, change: () => context.update({ [name]: box.checked ? on : off }) });
  context.syncs.push((settings) => { box.checked = settings[name] === on; });
  return h("span", { class: "sb-check", title: context.help[name] }, box, h("label", { for: id }, label));
}

/** A panel below its summary; Escape, the focus elsewhere and a click elsewhere close it. */
function popover(name, summary, panel, context) {
  const details = h("details", { class: name }, summary, panel);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    summary.focus();
    event.stopPropagation();
  });
  details.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
  });
  details.addEventListener("toggle", () => {
    panel.style.left = panel.style.right = "";
    const edge = details.closest(".serbench-explorer").getBoundingClientRect().left;
    if (getComputedStyle(panel).position !== "absolute" || panel.getBoundingClientRect().left >= edge) return;
    Object.assign(panel.style, { left: "0", right: "auto" }); // what is left of the explorer belongs to the notebook
  });
  context.elsewhere.push((target) => { if (!details.contains(target)) details.open = false; });
  return details;
}

/** Replace a list's options if they are others: a list that is open stays so. */
function renewed(list, options) {
  const text = options.map((option) => option.outerHTML).join("");
  if (list.dataset.options === text) return;
  list.dataset.options = text;
  list.replaceChildren(...options);
}

/** A control with its help below it. */
const explained = (control, name, context) => h("div", {}, control, h("div", { class: "sb-small" }, context.help[name]));

/** The data: the user's own, by file or stored run, and generated workloads. */
function dataField(options, context) {
  const id = `serbench-${++serial}`;
  const own = h("optgroup", { label: "Your data" });
  const told = h("div", { id: `${id}-about`, class: "sb-small sb-about" });
  const list = h("select", { id, "aria-describedby": told.id }, own, h("optgroup", { label: "Generated" },
    ...options.workloads.map((one) => h("option", { value: one.value, title: one.about }, one.value))));
  const about = Object.fromEntries(options.workloads.map((one) => [one.value, one]));
  list.addEventListener("change", () => {
    if (!about[list.value]) return context.send({ do: "open", own: JSON.parse(list.value) });
    const { payload, model } = context.settings();
    const from = { ...context.settings(), ...(payload || model ? options.usual : {}) }; // the size of a file is its own
    const depth = Math.max(from.depth, about[list.value].depth);
    context.update({ workload: list.value, payload: "", schema: "", model: "", literal_strings: false,
      as_map: [], as_record: [], as_union: [], as_text: [], records: from.records, depth });
  });
  const file = h("input", { type: "file", id: `${id}-file`, class: "sb-file", "aria-label": "Your file" });
  file.addEventListener("change", () => { if (file.files.length) context.upload(file.files[0]); file.value = ""; });
  context.syncs.push((settings, shown) => {
    const { choices = [], chosen = {} } = shown.data ?? {};
    renewed(own, choices.map((one) => h("option", { value: JSON.stringify(one.own), title: one.about }, one.name)));
    own.hidden = choices.length === 0;
    list.value = settings.payload || settings.model ? JSON.stringify(chosen) : settings.workload;
    told.textContent = about[list.value]?.about ?? choices.find((one) => JSON.stringify(one.own) === list.value)?.about ?? "";
  });
  return h("div", { class: "sb-field", title: "Your own data, or generated data" }, h("label", { for: id }, "Data"),
    h("div", { class: "sb-row" }, list,
      h("label", { class: "sb-button", for: file.id, title: "JSON, JSON Lines, MessagePack, CSV or Parquet; you can also drop it here" }, "Your file…"), file), told);
}

/** The library and codec that the user has today; all others are compared with them. */
function presentField(context) {
  const id = `serbench-${++serial}`;
  const list = h("select", { id, change: () => context.update({ present: list.value }) });
  context.syncs.push((settings, shown) => {
    const { cases = [], chosen = settings.present } = shown.present ?? {};
    const names = [...new Set([...cases, ...(settings.present ? [chosen || settings.present] : [])])];
    const groups = Map.groupBy(names, (name) => name.split("/")[0]);
    renewed(list, [h("option", { value: "" }, "nothing yet"), ...[...groups].map(([library, members]) =>
      h("optgroup", { label: library }, ...members.map((name) => {
        const [, codec, format] = name.split("/");
        return h("option", { value: name }, `${library} + ${codec === format || !format ? codec : `${codec} (${format})`}`);
      })))]);
    list.value = settings.present ? chosen || settings.present : "";
  });
  return h("div", { class: "sb-field", title: context.help.present }, h("label", { for: id }, "I use today"), list);
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
  const details = popover("sb-several", summary, h("div", { class: "sb-panel" }, search,
    h("div", { class: "sb-row" },
      h("button", { type: "button", click: () => setAll(true) }, "Select matches"),
      h("button", { type: "button", click: () => setAll(false) }, "All (clear)")),
    list), context);
  details.addEventListener("toggle", () => { if (details.open) search.focus(); });
  context.syncs.push((settings) => {
    if (details.open) return;
    chosen.clear();
    for (const value of settings[name]) chosen.add(value);
    sync();
  });
  return h("div", { class: "sb-field", title: context.help[name] }, details);
}

/** Run and Cancel, and the progress of a run; `live` measures a selection once, and only after a move. */
function runControls(model, context) {
  let attempted; // what was measured or cancelled last
  const point = () => JSON.stringify(POINT.map((name) => model.get("settings")[name]));
  const asking = (content) => { attempted = point(); context.send(content); };
  const measure = () => asking({ do: "run", settings: model.get("settings") }); // it may overtake their own message
  const live = later(LIVE_PAUSE_MS, () => {
    if (model.get("settings").live && context.isMissing() && attempted !== point()) measure();
  });
  const run = h("button", { type: "button", class: "sb-run", click: measure });
  const cancel = h("button", { type: "button", click: () => asking({ do: "cancel" }) }, "Cancel");
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  const says = h("span", { class: "sb-small", role: "status" });
  context.syncs.push((settings, shown) => { run.textContent = `Run: ${shown.run_text}`; });
  const draw = (progress) => {
    run.disabled = progress.running;
    cancel.disabled = bar.hidden = !progress.running;
    bar.value = progress.fraction;
    says.textContent = progress.error || progress.text;
    says.classList.toggle("sb-error", Boolean(progress.error));
  };
  const progress = h("div", { class: "sb-row sb-action" }, bar, says);
  return { buttons: h("div", { class: "sb-row" }, run, cancel), progress, measure, live, says, draw };
}
