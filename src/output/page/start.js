// Everything begins here.

// A button that copies the lines of a model or a command.
function startCode(block) {
  const pre = block.querySelector("pre");
  const button = make("button", { type: "button", class: "copy", click: copy }, "Copy");
  async function copy() {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      // without leave to use the clipboard: as if selected by hand
      getSelection().selectAllChildren(pre);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }
  const box = make("div", { class: "copyable" });
  pre.replaceWith(box);
  box.append(pre, button);
}

const kinds = {
  ".code": startCode,
  "figure.chart": startPlot,
  "figure.phase": startPhase,
  "figure.motion": startMotion,
  "figure.download": startDownload,
};

// in the order of reading, as it looks
const contents = document.querySelector("nav");
if (contents) document.querySelector("main").before(contents);

for (const [selector, start] of Object.entries(kinds)) {
  for (const element of document.querySelectorAll(selector)) start(element);
}
