// Entry point: creates all interactive elements of the page.

// Adds a button that copies the text of a model or a command.
function startCode(block) {
  const pre = block.querySelector("pre");
  const button = make("button", { type: "button", class: "copy", click: copy }, "Copy");
  async function copy() {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      // without permission to use the clipboard: selects and copies the text
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

// table of contents moved before the main text, its position on the screen
const contents = document.querySelector("nav");
if (contents) document.querySelector("main").before(contents);

for (const [selector, start] of Object.entries(kinds)) {
  for (const element of document.querySelectorAll(selector)) start(element);
}
