// The app's first screen: the explorer on what the server knows, until its kernel is there.

/** What an explorer is drawn from: the server's values, and from `attach` on a widget's model, which hears what was asked meanwhile. */
function untilAttached(values) {
  let model = null;
  const [heard, sent, changed] = [[], [], new Set()];
  const set = (name, value) => {
    values[name] = value;
    changed.add(name);
  };
  return {
    get: (name) => (model ? model.get(name) : values[name]),
    set: (name, value) => (model ? model.set(name, value) : set(name, value)),
    save_changes: () => model?.save_changes(),
    send: (...message) => (model ? model.send(...message) : sent.push(message)),
    on: (name, act) => (model ? model.on(name, act) : heard.push([name, act])),
    off: (name, act) => model?.off(name, act),
    attach(widget) {
      model = widget;
      for (const [name, act] of heard) model.on(name, act);
      for (const name of changed) model.set(name, values[name]);
      model.save_changes();
      for (const message of sent) model.send(...message);
      for (const [name, act] of heard) if (name.startsWith("change:")) act();
    },
  };
}

globalThis.serbenchFirst = untilAttached(JSON.parse(document.getElementById("serbench-values").textContent));
render({ model: globalThis.serbenchFirst, el: document.getElementById("serbench-first") });
// Voila's own call, before the page is left, is lost when a tab is closed.
addEventListener("pagehide", () => {
  const { kernelId } = JSON.parse(document.getElementById("jupyter-config-data")?.textContent ?? "{}");
  const form = new FormData();
  form.append("_xsrf", document.cookie.match("\\b_xsrf=([^;]*)\\b")?.[1] ?? "");
  if (kernelId) navigator.sendBeacon(`voila/api/shutdown/${kernelId}`, form);
});
