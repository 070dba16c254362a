// Colours, which the style sheet defines for light and dark, and news of their change.

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

// Curves with the same colour differ in these.
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

const listeners = [];

const onTheme = (redraw) => listeners.push(redraw);

const tellTheme = () => listeners.forEach((redraw) => redraw());

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tellTheme);

// paper is light
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printed");
  tellTheme();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printed");
  tellTheme();
});
