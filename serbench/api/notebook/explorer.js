// The explorer's controls around the page's views. The kernel sends the available choices (`options`), the stored rows of
// the chosen data (`content`), those of the run in progress (`live`), probes (`further`), and what to know of the choice
// (`shown`); it receives the selection (`settings`). The page's modules choose and draw from the rows.

function render({ model, el }) {
  if (globalThis.serbenchFirst && globalThis.serbenchFirst !== model) return takeOver(model);
  const options = model.get("options");
  const root = h("div", { class: "sb serbench-explorer", "data-app": options.app });
  // Lab applies its shortcuts to what has the focus: arrows and Enter belong to the controls.
  root.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  const syncs = [];
  const sources = new Map(); // of cases, as the kernel has told them
  const host = {
    hasPage: options.app,
    get nothing() { return `No results for this data yet: ${model.get("progress").running ? "a run is in progress" : "press Run to measure it"}`; },
    chosen(change) {
      const changes = settingsOf(change, model.get("settings"));
      if (Object.keys(changes).length) context.update(changes);
      else view.show();
    },
    source(row) {
      const { case: name, source_sha256: sha256, records, depth } = row;
      const key = JSON.stringify([name, sha256]);
      if (!sources.has(key)) {
        sources.set(key, { reason: "The code is being written." });
        context.send({ do: "code", case: name, sha256, records, depth, key });
      }
      return sources.get(key);
    },
  };
  const view = viewIn(STYLE, host);
  const context = {
    syncs,
    send: (content, buffers) => model.send(content, undefined, buffers),
    upload,
    help: options.help,
    limits: options.limits,
    lit: view.lit,
    settings: () => model.get("settings"),
    update(changes) {
      model.set("settings", { ...model.get("settings"), ...changes });
      model.save_changes();
      drawView();
    },
    /** What is shown, and the settings of another measured size. */
    choice: view.choice,
    stopAt(name, value) {
      const { records, depth } = view.stopAt(view.choice(), name, value);
      return { records: Number(records), depth: Number(depth) };
    },
    /** True if the size is not measured, or nothing of what is selected there. */
    isMissing: () => !view.choice() || view.choice().isAway || !view.choice().shown.length,
  };

  // The controls.
  const run = runControls(model, options, context);
  const [data, about] = dataField(options, context);
  const libraries = options.libraries.map(({ reason, about, ...one }) => ({ ...one, about: reason || about, title: reason }));
  const formats = options.formats.map(({ value, group, reason, about }) => {
    const below = value !== group;
    return { value, text: value.split("/")[0], about: reason || about, title: reason, below };
  });
  const hidden = h("output", { class: "sb-small", "aria-label": "Cases shown" });
  syncs.push(() => { hidden.textContent = view.choice() ? view.shownWords(view.choice()) : ""; });
  const controls = h("div", { class: "fields sb-controls", role: "group", "aria-label": "Choices" },
    data,
    presentField(context),
    choiceOf(context, "Operation", "operation", options.choices.operation),
    stepped("Records", "records", context),
    stepped("Depth", "depth", context),
    ticksOf(context, "Libraries", "libraries", libraries),
    ticksOf(context, "Formats", "formats", formats),
    checkOf(context, "validating only", "validating"),
    checkOf(context, "hide plain dicts", "objects"),
    hidden,
    moreOptions(options, context),
    run.buttons, about);
  const opener = h("button", { type: "button", class: "sb-opener", "aria-expanded": "false" }, "Settings and Run");
  opener.addEventListener("click", () => opener.setAttribute("aria-expanded", sheet.classList.toggle("sb-opened")));
  const sheet = h("div", { class: "sb-sheet" }, opener, controls);

  // The view, and what stands around it.
  const panel = h("div", { class: "sb-view", role: "tabpanel", tabindex: -1, id: options.app ? "serbench-results" : newId(), "aria-label": "Results", "aria-busy": "true" });
  const place = { note: h("div", { class: "note", role: "status" }), data: h("div", { class: "sb-small" }), present: h("div") };
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "View" });
  const titles = Object.fromEntries(options.views.map((name) => [name, view.titles[name]]));
  const markTab = tabs(bar, titles, panel.id, (name) => context.update({ view: name }));
  syncs.push((settings) => markTab(settings.view));
  const whose = h("div");
  const beside = h("button", { type: "button", class: "sb-beside" });
  beside.addEventListener("click", () => {
    const { hasTwin } = view.choice();
    context.update({ beside: !hasTwin || !model.get("settings").beside });
    if (!hasTwin) run.measure();
  });
  const opens = "Opens this view in a browser on this machine, while this app runs. It has the app's token: whoever has the link can use the app.";
  const share = h("button", { type: "button", title: options.token ? opens : "" }, options.app ? "Copy link" : "Copy state");
  share.addEventListener("click", () => {
    const token = options.token ? `token=${options.token}&` : "";
    const link = `${location.origin}${location.pathname}?${token}state=${encodeURIComponent(model.get("state"))}`;
    copied(share, options.app ? link : `serbench.Explorer(${JSON.stringify(model.get("state"))})`);
  });
  const dark = h("button", { type: "button", hidden: !options.app });
  dark.addEventListener("click", () => { chosenTheme = root.dataset.theme === "dark" ? "light" : "dark"; detectTheme(); });
  const terms = h("details", { class: "sb-small sb-terms" }, h("summary", {}, "What the words mean"),
    h("dl", {}, ...Object.entries(options.terms).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)])));
  panel.append(place.note, place.present, view.element, place.data, terms);
  root.append(sheet, run.progress,
    h("div", { class: "sb-row sb-head" }, bar, h("span", { class: "sb-row" }, share, dark)),
    h("div", { class: "sb-row sb-whose" }, whose, beside), panel);
  el.append(root);

  /** Send a file in parts that fit into a message. */
  async function upload(file) {
    const parts = Math.max(Math.ceil(file.size / PART_BYTES), 1);
    const id = Math.random(); // another file may be sent meanwhile
    run.reading(file.name);
    place.note.hidden = true; // it spoke of another file
    for (let part = 0; part < parts; part++) {
      const content = await file.slice(part * PART_BYTES, (part + 1) * PART_BYTES).arrayBuffer();
      context.send({ do: "upload", upload: id, name: file.name, part, parts }, [content]);
      await new Promise((done) => setTimeout(done)); // the seconds are told between parts
    }
  }
  root.addEventListener("dragover", (event) => { event.preventDefault(); root.classList.add("sb-drop"); });
  root.addEventListener("dragleave", () => root.classList.remove("sb-drop"));
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("sb-drop");
    if (event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
  });

  /** On a narrow page the controls follow the results, and stay at the lower edge; elsewhere they come before them. */
  function placeControls() {
    const isNarrow = root.clientWidth > 0 && root.clientWidth < NARROW_PX;
    root.dataset.narrow = isNarrow;
    if (isNarrow === (panel.nextSibling === sheet)) return;
    if (isNarrow) panel.after(sheet);
    else root.prepend(sheet);
  }

  /** Draw the selection from the rows that are here: the kernel need not answer first. */
  function drawView() {
    const [settings, shown, content] = ["settings", "shown", "content"].map((name) => model.get(name));
    const running = model.get("live").parts ? model.get("live") : null;
    const selection = selectionOf(settings, content.workload, shown.present?.chosen);
    const isOther = view.drawn?.content !== content || view.drawn.live !== model.get("live") || view.drawn.further !== model.get("further");
    const text = JSON.stringify(selection);
    if (isOther || view.drawn.text !== text) {
      if (view.drawn?.content !== content) sources.clear();
      view.drawn = { content, live: model.get("live"), further: model.get("further"), text };
      view.draw(selection, content, running, model.get("further"));
    }
    for (const sync of syncs) sync(settings, shown);
    drawWhose(settings);
    panel.setAttribute("aria-busy", JSON.stringify(shown.settings) !== JSON.stringify(settings));
  }

  /** Say whose rows are shown, and offer those of the other machine. */
  function drawWhose({ view: name, beside: on }) {
    const choice = view.choice();
    const told = choice && view.page().runs[choice.run];
    const kind = !told ? "" : on && choice.others.size ? "both" : told.running ? "now" : told.published ? "published" : "yours";
    whose.replaceChildren(...(kind ? [h("b", { class: `sb-badge sb-${kind}` }, WHOSE[kind])] : []));
    beside.hidden = name !== "ranking" || !told || !(choice.hasTwin || told.published);
    const [alone, together] = told?.published ? ["Published alone", "Beside this machine"] : ["This machine alone", "Beside the published run"];
    const measures = ["Measure on this machine", model.get("shown").duration].filter(Boolean).join(", ");
    beside.textContent = !choice?.hasTwin ? measures : on ? alone : together;
    beside.disabled = !choice?.hasTwin && model.get("progress").running;
  }

  function draw() {
    const shown = model.get("shown");
    place.note.textContent = shown.note ?? "";
    place.note.hidden = !shown.note;
    drawPresent(place, shown, context);
    drawData(place, shown.data, context);
    drawProgress(Boolean(shown.note)); // a file that is refused is not read any more
    drawView();
    placeControls();
    if (!draw.done) model.send({ do: "drawn" });
    draw.done = true;
    run.live();
  }

  /** The address of the app recreates its view. */
  function keepState() {
    if (options.app) history.replaceState(null, "", `?state=${encodeURIComponent(model.get("state"))}`);
  }

  function drawProgress(isRefused = false) {
    const told = model.get("progress");
    const idle = { ...told, text: told.text || secondWords(root) };
    const progress = lost ? { running: false, text: "", fraction: 0, error: lost, other: lost } : idle;
    run.draw(progress, isRefused);
    drawWhose(model.get("settings"));
    const hasChanged = draw.done && root.dataset.running !== String(progress.running);
    root.dataset.running = progress.running;
    if (hasChanged && !view.choice()) view.show(); // it says what Run does
  }

  let lost = ""; // why the kernel does not answer
  const isDue = () => model.get("progress").running || panel.getAttribute("aria-busy") === "true";
  const kernel = watchKernel(model, { isApp: options.app, isDue, say(text) { lost = text; drawProgress(); } });

  let chosenTheme = null; // by the button of the app
  const detectTheme = () => {
    const isDark = pageTheme() === "dark" || (options.app && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = chosenTheme ?? (isDark ? "dark" : "light");
    dark.textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
    if (!options.app) return;
    document.documentElement.style.colorScheme = root.dataset.theme; // the app has the page to itself
    document.body.style.background = getComputedStyle(root).backgroundColor;
  };
  const watcher = new MutationObserver(later(100, detectTheme));
  watcher.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name"] });
  const widths = new ResizeObserver(later(100, placeControls));
  widths.observe(panel);
  const received = ({ adopted, code }) => {
    if (adopted) drawAdopted(place, adopted, context);
    if (code) { sources.set(code.key, code); view.show(); }
  };
  const probed = () => { if (["fidelity", "strictness"].includes(model.get("settings").view)) drawView(); };
  const hears = { "change:settings": drawView, "change:shown": draw, "change:live": drawView, "change:further": probed, "change:state": keepState, "change:progress": () => drawProgress(), "msg:custom": received };
  const fromKernel = Object.keys(hears).filter((name) => name !== "change:settings"); // which the page changes too
  const heard = [...Object.entries(hears), ...fromKernel.map((name) => [name, kernel.heard]), ["comm_live_update", kernel.dropped]];
  for (const [name, act] of heard) model.on(name, act);
  detectTheme();
  draw();
  drawProgress();
  const placed = setTimeout(drawProgress, PLACED_MS); // then the page has this explorer, and no longer one that it replaces
  return () => {
    clearTimeout(placed);
    watcher.disconnect();
    widths.disconnect();
    kernel.end();
    for (const [name, act] of heard) model.off(name, act);
  };
}

const PLACED_MS = 300;

/** What an explorer below another one of its notebook says while nothing else is to be said. */
function secondWords(root) {
  const [first] = root.closest(".jp-Notebook, body")?.querySelectorAll(".serbench-explorer") ?? [];
  return !first || first === root ? "" : "There is another explorer above: each has its own settings, and only one can measure at a time";
}

/** The first screen of the app goes on with this widget. */
function takeOver(model) {
  const first = globalThis.serbenchFirst;
  globalThis.serbenchFirst = null;
  first.attach(model);
}
