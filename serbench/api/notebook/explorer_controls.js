// The explorer's controls: each changes a setting, and follows the settings.

/** A control of a setting that `make` makes: `shows` gives what it shows of settings, which is their value if it is left out. */
function follows(context, make, label, name, { shows = (value) => [value], takes = (value) => value, ...looks } = {}) {
  const choose = (value) => context.update({ [name]: takes(value) });
  const control = make(label, choose, { title: context.help[name], ...looks });
  context.syncs.push((settings) => control.sync(...shows(settings[name])));
  return control.element;
}

const choiceOf = (context, label, name, entries) => follows(context, select, label, name, { shows: (value) => [entries, value] });
const ticksOf = (context, label, name, entries) => follows(context, several, label, name, { shows: (values) => [entries, values] });
const numberOf = (context, label, name, step) => follows(context, numberBox, label, name, { step, ...context.limits[name] });

function checkOf(context, label, name, on = true, off = false) {
  return follows(context, check, label, name, { shows: (value) => [value === on], takes: (isOn) => (isOn ? on : off) });
}

/** A slider over the sizes that were measured, with a box for any number next to it, which Run measures. */
function stepped(label, name, context) {
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": `${label}, slider`, title: "The sizes that were measured" });
  const ticks = h("div", { class: "sb-ticks", "aria-hidden": "true" });
  let stops = [];
  slider.addEventListener("input", () => context.update(context.stopAt(name, stops[slider.value])));
  const change = (value) => context.update({ [name]: Math.round(value) });
  const number = numberBox(label, change, { ...context.limits[name], title: context.help[name] });
  const line = h("div", { class: "both" });
  number.box.replaceWith(line);
  line.append(h("div", { class: "sb-track" }, slider, ticks), number.box);
  context.syncs.push((settings) => {
    const choice = context.choice();
    number.sync(settings[name]);
    stops = choice?.stops[name] ?? [];
    slider.disabled = stops.length < 2;
    slider.max = Math.max(stops.length - 1, 0);
    slider.value = stops.indexOf(choice?.at[name]);
    slider.setAttribute("aria-valuetext", counted(choice?.at[name] ?? settings[name]));
    ticks.replaceChildren(...stops.map((stop) => h("span", { title: counted(stop) })));
  });
  return number.element;
}

/** The rarely needed options, each with its help below it. */
function moreOptions(options, context) {
  const controls = {
    published: checkOf(context, "published results only", "published"),
    live: checkOf(context, "measure as I move", "live"),
    gc: checkOf(context, "garbage collector", "gc", "on", "off"),
    conditions: checkOf(context, "varied data", "conditions", "varied", "hot"),
    effort: choiceOf(context, "Effort", "effort", options.choices.effort),
    seed: numberOf(context, "Seed", "seed", 1),
    budget: numberOf(context, "Stop after (s, 0 for no limit)", "budget", 10),
  };
  const told = ([name, control]) => h("div", {}, control, h("div", { class: "sb-small" }, context.help[name]));
  return popover(h("summary", {}, "More"), h("div", { class: "panel" }, Object.entries(controls).map(told)), { kind: "more" });
}

/** The data: the user's own, by file or stored run, and generated workloads; and what it is, as a line. */
function dataField(options, context) {
  const generated = Object.fromEntries(options.workloads.map((one) => [one.value, one]));
  const choose = (value) => {
    if (!generated[value]) return context.send({ do: "open", own: JSON.parse(value) });
    const { payload, model } = context.settings();
    const from = { ...context.settings(), ...(payload || model ? options.usual : {}) }; // the size of a file is its own
    const depth = Math.max(from.depth, generated[value].depth);
    context.update({ workload: value, payload: "", schema: "", model: "", literal_strings: false,
      sample: 0, as_map: [], as_record: [], as_union: [], as_text: [], as_any: [], records: from.records, depth });
  };
  const file = h("input", { type: "file", id: newId(), class: "sb-file", "aria-label": "Your file" });
  file.addEventListener("change", () => { if (file.files.length) context.upload(file.files[0]); file.value = ""; });
  const opener = h("label", { class: "button", for: file.id, title: "JSON, JSON Lines, MessagePack, YAML, TOML, CSV or Parquet; you can also drop it here" }, "Your file…");
  const told = h("small", { id: newId(), class: "about" });
  const data = select("Data", choose, { title: "Your own data, or generated data" }, opener, file, classField(context));
  data.list.setAttribute("aria-describedby", told.id);
  const workloads = { label: "Generated", entries: options.workloads.map(({ value, about }) => [value, value, about]) };
  context.syncs.push((settings, shown) => {
    const { choices = [], chosen = {} } = shown.data ?? {};
    const users = choices.map(({ own, name, about }) => [JSON.stringify(own), name, about]);
    const value = settings.payload || settings.model ? JSON.stringify(chosen) : settings.workload;
    data.sync([...(users.length ? [{ label: "Your data", entries: users }] : []), workloads], value);
    const [, name, about] = [...workloads.entries, ...users].find(([one]) => one === value) ?? [];
    told.textContent = about ? `${name}: ${about}` : "";
  });
  return [data.element, told];
}

/** A class of the user's, by the file or module that has it. */
function classField(context) {
  const name = h("input", { type: "search", "aria-label": "Class", placeholder: "models.py:Order", spellcheck: "false", autocapitalize: "off" });
  const open = () => {
    if (!name.value.trim()) return;
    context.send({ do: "class", model: name.value.trim() });
    panel.open = false;
  };
  name.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
  const help = "models.py:Order or module:Order: pydantic, msgspec, attrs, dataclasses and others. It is imported, and measured with the values of your file if one is chosen, else with generated ones.";
  const panel = popover(h("summary", { class: "button" }, "Your class…"),
    h("div", { class: "panel" }, name, h("button", { type: "button", click: open }, "Open"), h("div", { class: "sb-small" }, help)), { kind: "class" });
  return panel;
}

/** The library and codec that the user has today; all others are compared with them. */
function presentField(context) {
  const list = select("I use today", (present) => context.update({ present }), { title: context.help.present });
  context.syncs.push((settings, shown) => {
    const { chosen = settings.present } = shown.present ?? {};
    const value = settings.present && (chosen || settings.present);
    const measured = (context.choice()?.every ?? []).filter(({ environment }) => environment === "main").sort((a, b) => a.name.localeCompare(b.name));
    const groups = Map.groupBy(measured, ({ library }) => library);
    const named = [...groups].sort().map(([label, rows]) => ({ label, entries: rows.map((row) => [row.present, row.name]) }));
    const other = value && !measured.some((row) => row.present === value) ? [[value, value]] : [];
    list.sync([["", "nothing yet"], ...other, ...named], value);
  });
  return list.element;
}

/** Run and Cancel, and the progress of a run; `live` measures a selection once, and only after a move. */
function runControls(model, options, context) {
  let attempted; // what was measured or cancelled last
  const point = () => JSON.stringify(POINT.map((name) => model.get("settings")[name]));
  const asking = (content) => { attempted = point(); context.send(content); };
  const measure = () => asking({ do: "run", settings: model.get("settings") }); // it may overtake their own message
  const live = later(LIVE_PAUSE_MS, () => {
    if (model.get("settings").live && context.isMissing() && attempted !== point()) measure();
  });
  const grow = choiceOf(context, "Run varies", "grow", options.choices.grow);
  const run = h("button", { type: "button", class: "sb-run", click: measure });
  const cancel = h("button", { type: "button", click: () => asking({ do: "cancel" }) }, "Cancel");
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  const says = h("span", { class: "sb-small", role: "status" });
  context.syncs.push((settings, shown) => {
    run.textContent = `Run: ${[shown.run_text, shown.duration].filter(Boolean).join(", ")}`;
    grow.hidden = settings.view !== "scaling";
  });
  let said = "", since = 0, ticking, isUnheard = false;
  const tick = () => {
    const seconds = Math.floor((Date.now() - since) / 1000);
    says.textContent = ticking && seconds > 1 ? `${said} (${seconds} s)` : said;
  };
  /** Say a text, and of what goes on for how long. */
  const tell = (text, goesOn) => {
    if (text !== said) [said, since] = [text, Date.now()];
    clearInterval(ticking);
    ticking = goesOn ? setInterval(tick, 1000) : null;
    tick();
  };
  /** Say that a file is read, until the kernel has heard of it. */
  const reading = (name) => {
    isUnheard = true;
    says.classList.remove("sb-error");
    tell(`reading ${name}`, true);
  };
  const draw = (progress, isRefused = false) => {
    const isReading = progress.text.startsWith("reading ");
    isUnheard &&= !isReading && !isRefused;
    if (isUnheard) return;
    run.disabled = progress.running || Boolean(progress.other);
    run.title = progress.other ?? "";
    cancel.disabled = bar.hidden = !progress.running;
    bar.value = progress.fraction;
    tell(progress.error || progress.text, progress.running || isReading);
    says.classList.toggle("sb-error", Boolean(progress.error));
  };
  const progress = h("div", { class: "sb-row sb-action" }, bar, says);
  return { buttons: [grow, h("div", { class: "sb-row" }, run, cancel)], progress, measure, live, reading, draw };
}
