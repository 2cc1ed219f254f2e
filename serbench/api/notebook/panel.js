// The part of a notebook's controls that the page does.

export default {
  render({ model, el }) {
    el.style.display = "none";
    let isHeard = false; // anywidget gives a page that was slow to begin no messages at all
    let isAsked = false; // since a control was used
    let [said, before] = ["", ""];
    const panel = () => el.closest(".serbench-controls");
    const line = () => panel().querySelector("[role=status]");
    const say = (text) => {
      if (!said) before = line().textContent;
      if (text || line().textContent === said) line().textContent = text || before;
      said = text;
    };
    const kernel = watchKernel(model, { isDue: () => isHeard && isAsked, say });
    const heard = () => { [isHeard, isAsked] = [true, false]; kernel.heard(); };
    const ended = () => {
      kernel.end();
      line().textContent = RESTARTED;
      panel().querySelector(".widget-hprogress").style.display = "none";
      for (const control of panel().querySelectorAll("button, input, select")) control.disabled = true;
    };
    const used = ({ target }) => { isAsked ||= Boolean(panel()?.contains(target)); };
    const leave = ({ target }) => {
      if (target.matches(".serbench-controls :is(select, .noUi-handle)")) target.setAttribute("data-lm-suppress-shortcuts", "true");
    };
    const listening = new AbortController();
    for (const [name, act] of Object.entries({ pointerdown: used, keydown: used, focusin: leave }))
      document.addEventListener(name, act, { capture: true, signal: listening.signal });
    model.on("msg:custom", heard);
    model.on("comm_live_update", ended);
    model.send({ do: "alive" });
    return () => {
      kernel.end();
      listening.abort();
      model.off("msg:custom", heard);
      model.off("comm_live_update", ended);
    };
  },
};
