// The explorer's controls and views. It has no knowledge of its own: the kernel sends the available choices
// (`options`), receives the selection (`settings`) and responds with the results to show (`shown`).

function render({ model, el }) {
  const root = h("div", { class: "serbench-explorer" });
  const options = model.get("options");
  const syncs = [];
  const elsewhere = [];
  const context = {
    syncs,
    elsewhere,
    send: (content, buffers) => model.send(content, undefined, buffers),
    upload,
    help: options.help,
    views: options.views,
    limits: options.limits,
    settings: () => model.get("settings"),
    update(changes) {
      model.set("settings", { ...model.get("settings"), ...changes });
      model.save_changes();
      for (const sync of syncs) sync(model.get("settings"), model.get("shown"));
    },
  };

  // The controls.
  const run = runControls(model, context);
  const search = h("input", { type: "search", id: `serbench-${++serial}`, placeholder: "such as msgspec json" });
  search.addEventListener("input", () => context.update({ contains: search.value }));
  syncs.push((settings) => { if (focused(search) !== search) search.value = settings.contains; });
  const controls = h("div", { class: "sb-controls", role: "group", "aria-label": "Choices" },
    dataField(options, context),
    presentField(context),
    select("Operation", "operation", options.operations, context),
    h("div", { class: "sb-break" }),
    stepped("Records", "records", RECORDS, context),
    stepped("Depth", "depth", DEPTHS, context),
    several("Libraries", "libraries", options.libraries, context),
    several("Formats", "formats", options.formats, context),
    h("div", { class: "sb-field sb-checks" },
      check("validating only", "validating", context),
      check("objects only", "objects", context)),
    popover("sb-more", h("summary", {}, "More"), h("div", { class: "sb-panel" },
      ...[
        ["published results only", "published"],
        ["measure as I move", "live"],
        ["garbage collector", "gc", "on", "off"],
        ["varied data", "conditions", "varied", "hot"],
      ].map(([label, name, ...values]) => explained(check(label, name, context, ...values), name, context)),
      explained(select("Effort", "effort", options.efforts, context), "effort", context),
      explained(numberBox("Seed", "seed", 1, context), "seed", context),
      explained(numberBox("Stop after (s, 0 never)", "budget", 10, context), "budget", context)), context),
    run.buttons);
  const opener = h("button", { type: "button", class: "sb-opener", "aria-expanded": "false" }, "Change: data, sizes, libraries; Run");
  opener.addEventListener("click", () => opener.setAttribute("aria-expanded", sheet.classList.toggle("sb-opened")));
  const sheet = h("div", { class: "sb-sheet" }, opener, controls);

  // The views.
  const panel = h("div", { class: "sb-view", role: "tabpanel", id: `serbench-${++serial}`, "aria-label": "Results", "aria-busy": "true" });
  const place = {
    note: h("div", { class: "sb-note", role: "status" }),
    data: h("div", { class: "sb-small" }),
    present: h("div"),
    finding: h("h3", { class: "sb-finding", "aria-live": "polite" }),
    foot: h("div", { class: "sb-small sb-foot" }),
    failed: h("div"),
    figure: h("div", { class: "sb-figure" }),
    table: h("div"),
    code: h("div"),
  };
  const whose = h("div");
  const origin = h("div", { class: "sb-small sb-origin" });
  const beside = h("button", { type: "button", class: "sb-beside" });
  beside.addEventListener("click", () => {
    const on = !model.get("settings").beside;
    context.update({ beside: on });
    if (on && !model.get("shown").beside?.mine) run.measure(); // nothing of this machine is stored here
  });
  const filter = h("div", { class: "sb-row", hidden: true }, h("label", { for: search.id }, "Filter"), search,
    check("all sizes and depths", "every", context));
  const means = h("div", { class: "sb-row", hidden: true },
    numberBox("Bandwidth, Mbit/s", "bandwidth", "any", context),
    numberBox("Cores", "cores", 1, context));
  const types = h("select", { id: `serbench-${++serial}`, onchange: () => context.update({ probes: types.value }) });
  const probes = h("div", { class: "sb-row", hidden: true }, h("label", { for: types.id }, "Probes"), types);
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
      await (await plotly(model)).downloadImage(whole(model.get("shown").figure), { format, filename, width: place.figure.clientWidth, scale });
    };
    // Plotly saves one image at a time.
    return h("button", { type: "button", onclick: () => { saved = saved.then(save, save); } }, format.toUpperCase());
  });
  const about = h("p", { class: "sb-small sb-about" });
  const terms = h("details", { class: "sb-small sb-terms" }, h("summary", {}, "What the words mean"),
    h("dl", {}, ...Object.entries(options.terms).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)])));
  panel.append(place.note, filter, means, probes, place.present, place.finding, about, place.figure, place.table, place.code,
    origin, place.foot, place.failed, place.data, terms);
  root.append(sheet, run.progress,
    h("div", { class: "sb-row sb-head" }, tabs(Object.keys(options.views), panel, context), h("span", { class: "sb-spring" }), h("span", { class: "sb-row" }, ...exports, share)),
    h("div", { class: "sb-row sb-whose" }, whose, beside), panel);
  el.append(root);

  /** The figure as it is saved: with title, notes and the page's background. */
  const whole = (figure) => {
    const paper = getComputedStyle(root).backgroundColor;
    return { data: figure.data, layout: { ...figure.layout, paper_bgcolor: paper, plot_bgcolor: paper } };
  };

  /** Send a file in parts that fit into a message. */
  async function upload(file) {
    const parts = Math.max(Math.ceil(file.size / PART_BYTES), 1);
    run.says.textContent = `reading ${file.name}`;
    for (let part = 0; part < parts; part++) {
      const content = await file.slice(part * PART_BYTES, (part + 1) * PART_BYTES).arrayBuffer();
      context.send({ do: "upload", name: file.name, part, parts }, [content]);
    }
    run.says.textContent = "";
  }
  root.addEventListener("dragover", (event) => { event.preventDefault(); root.classList.add("sb-drop"); });
  root.addEventListener("dragleave", () => root.classList.remove("sb-drop"));
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("sb-drop");
    if (event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
  });
  const pressed = (event) => { for (const close of elsewhere) close(event.composedPath()[0]); };
  document.addEventListener("pointerdown", pressed, true);

  /** On a narrow page the controls follow the results, and stay at the lower edge; elsewhere they come before them. */
  function placeControls() {
    const isNarrow = root.clientWidth > 0 && root.clientWidth < NARROW_PX;
    root.dataset.narrow = isNarrow;
    if (isNarrow === (panel.nextSibling === sheet)) return;
    if (isNarrow) panel.after(sheet);
    else root.prepend(sheet);
  }

  let narrow = false;
  let answered; // the settings whose results are on the page
  const markBusy = () => panel.setAttribute("aria-busy", answered !== JSON.stringify(model.get("settings")));

  async function draw() {
    const shown = model.get("shown");
    for (const sync of syncs) sync(model.get("settings"), shown);
    place.note.textContent = shown.note ?? "";
    place.note.hidden = !shown.note;
    whose.replaceChildren(...(WHOSE[shown.whose] ? [h("b", { class: `sb-badge sb-${shown.whose}` }, WHOSE[shown.whose])] : []));
    origin.textContent = shown.origin ?? "";
    beside.textContent = shown.whose === "published" ? "Beside this machine" : "Beside the published run";
    beside.hidden = shown.kind !== "figure" || !shown.beside?.published;
    beside.setAttribute("aria-pressed", model.get("settings").beside);
    filter.hidden = shown.view !== "table";
    means.hidden = shown.view !== "budget";
    probes.hidden = !shown.probes;
    if (shown.probes) {
      renewed(types, [h("option", { value: "" }, "all types, counted"),
        ...shown.probes.types.map((one) => h("option", { value: one.name }, `${one.name} (${number(one.count)})`))]);
      types.value = shown.probes.chosen;
    }
    about.textContent = options.views[shown.view] ?? "";
    for (const part of [place.figure, place.finding, place.foot]) part.hidden = shown.kind !== "figure";
    place.table.hidden = shown.kind !== "grid";
    place.code.hidden = shown.kind !== "code";
    for (const button of exports) button.disabled = shown.kind !== "figure";
    drawPresent(place, shown, context);
    drawData(place, shown.data, context);
    drawFailed(place, shown.kind === "grid" ? [] : shown.failed ?? []);
    if (shown.kind === "grid") drawGrid(place, shown.grid, context);
    if (shown.kind === "code") drawCode(place, shown.code, context);
    if (shown.kind === "figure") {
      const library = await plotly(model);
      await onPage(root); // before that there is no width to fit
      if (model.get("shown").serial !== shown.serial) return;
      narrow = panel.clientWidth < NARROW_PX;
      if (narrow !== model.get("narrow")) { model.set("narrow", narrow); model.save_changes(); }
      const { figure, finding, below, notes } = fitted(shown.figure, panel.clientWidth);
      place.figure.style.minHeight = `${figure.layout.height}px`;
      if (place.finding.firstChild?.data !== finding) place.finding.replaceChildren(finding, h("small")); // said once
      place.finding.lastChild.textContent = below;
      const known = (shown.origin ?? "").split(/\n| · /); // stands there
      place.foot.replaceChildren(...notes.filter((line) => !known.includes(line)).map((line) => h("div", {}, line)));
      const paper = getComputedStyle(root).backgroundColor; // also for exported images
      const layout = { ...figure.layout, paper_bgcolor: paper, plot_bgcolor: paper };
      await library.react(place.figure, figure.data, layout, { ...options.config, modeBarButtonsToRemove: [...options.config.modeBarButtonsToRemove, "toImage"] });
      if (model.get("shown").serial !== shown.serial) return;
      place.figure.removeAllListeners?.("plotly_click");
      place.figure.on("plotly_click", ({ points: [point] }) => {
        if (model.get("shown").probes?.chosen === "") context.update({ probes: point.x }); // a type opens
      });
      place.figure.setAttribute("role", "figure"); // "img" would hide its buttons from a screen reader
      place.figure.setAttribute("aria-label", [finding, below].filter(Boolean).join(". "));
    }
    placeControls();
    if (!answered) model.send({ do: "drawn" });
    answered = JSON.stringify(shown.settings);
    markBusy();
    run.live();
  }

  function drawProgress() {
    run.draw(model.get("progress"));
    root.dataset.running = model.get("progress").running;
  }

  const detectTheme = () => {
    const theme = pageTheme();
    if (theme !== model.get("theme")) { model.set("theme", theme); model.save_changes(); }
    root.dataset.theme = theme;
  };
  const watcher = new MutationObserver(later(100, detectTheme));
  watcher.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name"] });
  const widths = new ResizeObserver(later(100, () => {
    placeControls();
    if (!place.figure.data || place.figure.hidden || !place.figure.clientWidth) return;
    if (narrow !== panel.clientWidth < NARROW_PX) draw();
    else globalThis.Plotly?.Plots.resize(place.figure);
  }));
  widths.observe(panel);
  model.on("change:settings", markBusy);
  model.on("change:shown", draw);
  model.on("change:progress", drawProgress);
  const received = (content) => { if (content.adopted) drawAdopted(place, content.adopted); };
  model.on("msg:custom", received);
  detectTheme();
  draw();
  drawProgress();
  return () => {
    watcher.disconnect();
    widths.disconnect();
    model.off("change:settings", markBusy);
    model.off("change:shown", draw);
    model.off("change:progress", drawProgress);
    model.off("msg:custom", received);
    document.removeEventListener("pointerdown", pressed, true);
    globalThis.Plotly?.purge(place.figure);
  };
}

// Load the library before there is anything to draw.
export default { initialize: ({ model }) => { plotly(model); }, render };
