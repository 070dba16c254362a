// The legend of a plot: a button for every curve that shows and hides it, with its value under the
// cursor; and, while the plot is zoomed, a button that resets the zoom.

const shownAtFirst = 12; // number of curves shown initially; the others are hidden

function makeLegend(plot, { toggle, reset }) {
  const place = make("span", { class: "place" });
  const whole = make(
    "button",
    { type: "button", class: "whole", hidden: "", click: reset },
    "show all",
  );
  const name = (i) => plot.curves[i].label || `curve ${i + 1}`;
  const entries = plot.curves.map((curve, i) => {
    const value = make("span", { class: "value" });
    const dash = i < curveColours ? undefined : "";
    const swatch = make("span", {
      class: "swatch",
      "data-style": curve.style,
      "data-dash": dash,
      "aria-hidden": "true",
    });
    swatch.style.color = `var(--curve-${i % curveColours})`;
    const button = make(
      "button",
      { type: "button", "aria-pressed": String(i < shownAtFirst), click: () => flip(i) },
      swatch,
      make("span", { class: "label", title: name(i) }, name(i)),
      value,
    );
    return { button, value };
  });
  function flip(i) {
    const show = entries[i].button.getAttribute("aria-pressed") !== "true";
    entries[i].button.setAttribute("aria-pressed", String(show));
    toggle(i, show);
  }
  const list = make(
    "div",
    { class: "curves", role: "group", "aria-label": "Curves" },
    ...entries.map((e) => e.button),
  );
  return {
    element: make("div", { class: "legend" }, list, make("div", { class: "line" }, place, whole)),
    isShown: (i) => entries[i].button.getAttribute("aria-pressed") === "true",
    setZoomed: (zoomed) => whole.toggleAttribute("hidden", !zoomed),
    // shows the position of the cursor and the values there; without arguments: no cursor
    setValues(text = "", values = []) {
      place.textContent = text;
      entries.forEach(
        (entry, i) => (entry.value.textContent = i in values ? format(values[i]) : ""),
      );
    },
  };
}
