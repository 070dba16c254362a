// Columns of numbers: phase plots of any two columns, and downloads.

// A phase plot of one column over another, both selected by the reader.
function startPhase(figure) {
  const { columns, x, y } = descriptionOf(figure);
  const options = () => columns.map(({ name }, i) => make("option", { value: i }, name));
  const across = make("select", { change: () => plane.reset() }, ...options());
  const upward = make("select", { change: () => plane.reset() }, ...options());
  const equal = make("input", { type: "checkbox", change: () => plane.draw() });
  const place = make("span", { class: "place" });
  across.value = x;
  upward.value = y;
  const host = make("div", { class: "canvas" });
  const whole = make(
    "button",
    { type: "button", class: "whole", hidden: "", click: () => plane.reset() },
    "show all",
  );
  figure.prepend(
    make(
      "div",
      { class: "controls" },
      make("label", {}, upward),
      "over",
      make("label", {}, across),
      make("label", {}, equal, " same scale"),
    ),
    host,
    make("div", { class: "legend" }, make("div", { class: "line" }, place, whole)),
  );
  const curve = () => ({
    x: arrayOf(columns[across.value].array),
    y: arrayOf(columns[upward.value].array),
    style: "line",
    colour: 0,
  });
  const plane = makePlane(
    host,
    "Phase plot",
    () => ({
      xLabel: columns[across.value].name,
      yLabel: columns[upward.value].name,
      equal: equal.checked,
      height: squareHeight,
      curves: [curve()],
    }),
    {
      zoomed: (zoomed) => whole.toggleAttribute("hidden", !zoomed),
      pointed(point) {
        const shown = [columns[0], columns[across.value], columns[upward.value]];
        place.textContent = point
          ? [...new Set(shown)]
              .map(({ name, array }) => `${name} = ${format(arrayOf(array)[point.i])}`)
              .join(", ")
          : "";
      },
    },
  );
  plane.draw();
}

// A number for CSV: the shortest text that reads back as the same double; seven digits of a float.
function csvNumber(value, isSingle) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0";
  return String(isSingle ? Number(value.toPrecision(7)) : value);
}

const csvName = (name) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

// A field of CSV, quoted by RFC 4180.
function csvOf({ columns, rows }) {
  const arrays = columns.map(({ array }) => arrayOf(array));
  const lines = [columns.map(({ name }) => csvName(name)).join(",")];
  for (let k = 0; k < rows; k++) {
    lines.push(arrays.map((a) => csvNumber(a[k], a instanceof Float32Array)).join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

function startDownload(figure) {
  const data = descriptionOf(figure);
  const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
  const save = () => {
    const url = URL.createObjectURL(new Blob([csvOf(data)], { type: "text/csv" }));
    make("a", { href: url, download: data.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  };
  figure.prepend(
    make("button", { type: "button", click: save }, `Download ${data.name}`),
    make(
      "span",
      { class: "note" },
      `${count(data.rows, "row")}, ${count(data.columns.length, "column")}`,
    ),
  );
}
