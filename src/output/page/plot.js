// Plots: by uPlot, if it is in the page and x ascends along all curves, else by plane.js. Plots
// with the same x label share a cursor and the visible range of x.

const chartHeight = (width) => (width < 520 ? 260 : 320);
const squareHeight = (width) => Math.round(Math.min(480, Math.max(260, width * 0.7)));

const isAscending = (xs) => xs.every((x, i) => Number.isFinite(x) && (i === 0 || xs[i - 1] <= x));

const curveOf = ({ label, style, x, y }, colour) => ({
  label,
  style,
  colour,
  x: arrayOf(x),
  y: arrayOf(y),
});

function startPlot(figure) {
  figure.querySelector(".still")?.remove(); // static picture for browsers without scripts
  const plot = descriptionOf(figure);
  plot.curves = plot.curves.map(curveOf);
  plot.equal = plot.equal && !plot.xLog && !plot.yLog;
  const name = plot.title || [plot.yLabel, plot.xLabel].filter(Boolean).join(" over ") || "Plot";
  const isFit = !plot.equal && plot.curves.every((curve) => isAscending(curve.x));
  (isFit && typeof uPlot === "function" ? startAligned : startOnPlane)(figure, plot, name);
}

function startOnPlane(figure, plot, name) {
  const host = make("div", { class: "canvas" });
  const legend = makeLegend(plot, { toggle: () => plane.draw(), reset: () => plane.reset() });
  figure.append(host, legend.element);
  const plane = makePlane(
    host,
    name,
    () => ({
      ...plot,
      height: plot.equal ? squareHeight : chartHeight,
      curves: plot.curves.filter((_, i) => legend.isShown(i)),
    }),
    {
      zoomed: legend.setZoomed,
      pointed(point) {
        if (!point) return legend.setValues();
        const { curve, i } = point;
        const values = [];
        values[curve.colour] = curve.y[i];
        legend.setValues(`${plot.xLabel ?? "x"} = ${format(curve.x[i])}`, values);
      },
    },
  );
  plane.draw();
}

// Curves for uPlot, which needs one x for all of them: the union of the x of all curves, with the
// value undefined where a curve has no point, and null where it has a gap. A repeated x, as at an
// event, is kept.
function aligned(curves, xLog, yLog) {
  const gapped = (ys) => Array.from(ys, (y) => (Number.isFinite(y) && (!yLog || y > 0) ? y : null));
  const first = curves[0]?.x ?? [];
  if (!xLog && curves.every((curve) => curve.x === first)) {
    return [first, ...curves.map((curve) => gapped(curve.y))];
  }
  const xs = [];
  const columns = curves.map(() => []);
  const ys = curves.map((curve) => gapped(curve.y));
  const at = curves.map((curve) => (xLog ? curve.x.findLastIndex((x) => x <= 0) + 1 : 0));
  for (;;) {
    const next = Math.min(...curves.map((curve, c) => curve.x[at[c]] ?? Infinity));
    if (next === Infinity) return [xs, ...columns];
    xs.push(next);
    curves.forEach((curve, c) =>
      columns[c].push(curve.x[at[c]] === next ? ys[c][at[c]++] : undefined),
    );
  }
}

// Groups of plots with the same x label, which share the visible range of x.
const groups = new Map();

function groupOf(label) {
  if (label === null) return makeGroup(null);
  if (!groups.has(label)) groups.set(label, makeGroup(`x ${label}`));
  return groups.get(label);
}

function makeGroup(key) {
  const members = [];
  let whole = null; // range of x over all plots of the group
  return {
    key,
    add(member, range) {
      members.push(member);
      if (!range) return;
      whole = whole ? [Math.min(whole[0], range[0]), Math.max(whole[1], range[1])] : range;
      for (const each of members) each(whole, false);
    },
    zoom: (range) => members.forEach((member) => member(range, true)),
    reset: () => members.forEach((member) => member(whole, false)),
  };
}

// Draws the axes of plane.js under the curves of uPlot.
function drawAxesOf(u, plot) {
  const { ctx: context, bbox } = u;
  const ratio = devicePixelRatio || 1;
  const area = {
    left: bbox.left / ratio,
    top: bbox.top / ratio,
    right: (bbox.left + bbox.width) / ratio,
    bottom: (bbox.top + bbox.height) / ratio,
  };
  const { x, y } = u.scales;
  if (x.min == null || y.min == null) return; // no data
  context.save();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawAxes(
    context,
    area,
    makeScale([x.min, x.max], area.left, area.right, plot.xLog),
    makeScale([y.min, y.max], area.bottom, area.top, plot.yLog),
    plot,
  );
  context.restore();
}

// Single points between gaps, which a line would not show.
function lonelyOf(values) {
  const isEnd = (v) => v === null || v === undefined;
  const defined = values.map((v, i) => [v, i]).filter(([v]) => v !== undefined);
  return defined
    .filter(([v], k) => v !== null && isEnd(defined[k - 1]?.[0]) && isEnd(defined[k + 1]?.[0]))
    .map(([, i]) => i);
}

function seriesOf(curve, values, shown) {
  const colour = () => theme().curve(curve.colour);
  const isMarked = curve.style === "points" || curve.style === "both";
  const lonely = isMarked ? [] : lonelyOf(values);
  return {
    label: curve.label,
    show: shown,
    stroke: colour,
    width: 1.5,
    dash: theme().dash(curve.colour),
    points: {
      show: isMarked || lonely.length > 0,
      filter: isMarked ? undefined : () => lonely,
      size: isMarked ? 6 : 3,
      width: 1,
      fill: colour,
      stroke: colour,
    },
    paths: { points: () => null, steps: uPlot.paths.stepped({ align: -1 }) }[curve.style],
  };
}

// The index nearest to idx at which the curve has a point or a gap.
function nearestIndex(u, series, idx) {
  const values = u.data[series];
  for (let d = 0; d < values.length; d++) {
    if (values[idx - d] !== undefined) return idx - d;
    if (values[idx + d] !== undefined) return idx + d;
  }
  return idx;
}

function startAligned(figure, plot, name) {
  const group = groupOf(plot.alone ? null : plot.xLabel);
  const host = make("div", { class: "canvas", role: "img", "aria-label": name });
  const legend = makeLegend(plot, {
    toggle: (i, show) => u.setSeries(i + 1, { show }),
    reset: group.reset,
  });
  figure.append(host, legend.element);
  const data = aligned(plot.curves, plot.xLog, plot.yLog);
  const options = {
    width: host.clientWidth,
    height: chartHeight(host.clientWidth),
    legend: { show: false },
    padding: [margins.top, margins.right, margins.bottom, margins.left],
    pxAlign: 0,
    cursor: {
      y: false,
      points: { size: 7 },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => group.reset },
      dataIdx: nearestIndex,
      sync: {
        key: group.key,
        scales: ["x", null],
        filters: { pub: (type) => type === "mousemove" },
      },
    },
    scales: {
      x: {
        time: false,
        distr: plot.xLog ? 3 : 1,
        range: (self, low, high) =>
          low < high ? [low, high] : padded(low === null ? null : [low, high], plot.xLog),
      },
      y: {
        distr: plot.yLog ? 3 : 1,
        range: (self, low, high) => padded(low === null ? null : [low, high], plot.yLog),
      },
    },
    axes: [{ show: false }, { show: false }],
    series: [{}, ...plot.curves.map((curve, i) => seriesOf(curve, data[i + 1], legend.isShown(i)))],
    hooks: {
      drawClear: [(self) => drawAxesOf(self, plot)],
      setSelect: [
        (self) => {
          const { left, width } = self.select;
          const part = [self.posToVal(left, "x"), self.posToVal(left + width, "x")];
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (width > 5 && isWide(part)) group.zoom(part);
        },
      ],
      setCursor: [
        ({ data, cursor: { left, idx, idxs } }) => {
          if (left < 0 || idx == null) return legend.setValues();
          const values = plot.curves.map((_, i) => data[i + 1][idxs[i + 1]]);
          legend.setValues(`${plot.xLabel ?? "x"} = ${format(data[0][idx])}`, values);
        },
      ],
    },
  };
  const u = new uPlot(options, data, host);
  group.add(
    ([min, max], zoomed) => {
      u.setScale("x", { min, max });
      legend.setZoomed(zoomed);
    },
    rangeOf(
      plot.curves.map((curve) => curve.x),
      plot.xLog,
    ),
  );
  new ResizeObserver(() => {
    const width = host.clientWidth;
    if (width > 0) u.setSize({ width, height: chartHeight(width) });
  }).observe(host);
  onTheme(() => u.redraw());
}
