// Colours of the light and dark scheme, defined by the style sheet, and notification of changes.

const curveColours = 12;

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"),
    muted: colour("muted"),
    grid: colour("grid"),
    paper: colour("paper"),
    accent: colour("accent"),
    font: `12px ${style.getPropertyValue("--sans")}`,
    curve: (i) => colour(`curve-${i % curveColours}`),
    dash: (i) => dashes[Math.floor(i / curveColours) % dashes.length],
  };
}

// Dash patterns that distinguish curves with the same colour.
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

const listeners = [];

const onTheme = (redraw) => listeners.push(redraw);

const tellTheme = () => listeners.forEach((redraw) => redraw());

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tellTheme);

// print uses the light scheme
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printed");
  tellTheme();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printed");
  tellTheme();
});
