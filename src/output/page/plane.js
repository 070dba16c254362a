// Plots on a canvas without uPlot: curves with an x that is not monotonic, such as trajectories and
// phase plots, plots with equal units on both axes, and all plots of a page without uPlot.

const isFinitePair = (x, y) => Number.isFinite(x) && Number.isFinite(y);

// The points of a curve in pixels, in runs between its gaps.
function runsOf({ x: xs, y: ys }, x, y) {
  const runs = [];
  let run = null;
  for (let i = 0; i < xs.length; i++) {
    if (!x.isValid(xs[i]) || !y.isValid(ys[i])) {
      run = null;
      continue;
    }
    if (!run) runs.push((run = []));
    run.push([x.toPixel(xs[i]), y.toPixel(ys[i])]);
  }
  return runs;
}

// Draws a line through each run; steps: y is constant from the previous x.
function strokeRuns(context, runs, style) {
  context.beginPath();
  for (const run of runs) {
    context.moveTo(...run[0]);
    for (let i = 1; i < run.length; i++) {
      if (style === "steps") context.lineTo(run[i - 1][0], run[i][1]);
      context.lineTo(...run[i]);
    }
  }
  context.stroke();
}

function markPoints(context, points, radius) {
  for (const [px, py] of points) {
    context.beginPath();
    context.arc(px, py, radius, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawCurve(context, curve, x, y, colours) {
  const colour = colours.curve(curve.colour);
  const runs = runsOf(curve, x, y);
  Object.assign(context, {
    strokeStyle: colour,
    fillStyle: colour,
    lineWidth: 1.5,
    lineJoin: "round",
  });
  context.setLineDash(colours.dash(curve.colour));
  if (curve.style !== "points") strokeRuns(context, runs, curve.style);
  context.setLineDash([]);
  if (curve.style === "points" || curve.style === "both") markPoints(context, runs.flat(), 3);
  else markPoints(context, runs.filter((run) => run.length === 1).flat(), 1.5); // single points
}

// The point of a curve nearest to this position in pixels, if one is close enough.
function nearestPoint(curves, x, y, px, py, reach = 40) {
  let best = null;
  let least = reach * reach;
  for (const curve of curves) {
    for (let i = 0; i < curve.x.length; i++) {
      if (!x.isValid(curve.x[i]) || !y.isValid(curve.y[i])) continue;
      const distance = (x.toPixel(curve.x[i]) - px) ** 2 + (y.toPixel(curve.y[i]) - py) ** 2;
      if (distance < least) [least, best] = [distance, { curve, i }];
    }
  }
  return best;
}

// Creates a plot in the element `host`. plot() returns its current description, { xLabel, yLabel,
// xLog, yLog, equal, height, curves: [{ x, y, style, colour }] }, with the visible curves. news:
// callbacks zoomed(bool) and pointed({ curve, i } or null).
function makePlane(host, name, plot, news) {
  const canvas = make("canvas", { role: "img", "aria-label": name });
  let view = null; // zoomed ranges of x and y, null: all data
  let drag = null; // rectangle of the zoom selection, in pixels
  let pointed = null;
  let area, x, y;
  host.append(canvas);

  function layOut(width, height, { curves, xLog, yLog, equal }) {
    area = areaOf(width, height);
    let ranges = view ?? [
      padded(
        rangeOf(
          curves.map((c) => c.x),
          xLog,
        ),
        xLog,
      ),
      padded(
        rangeOf(
          curves.map((c) => c.y),
          yLog,
        ),
        yLog,
      ),
    ];
    if (equal) ranges = equalised(...ranges, area);
    x = makeScale(ranges[0], area.left, area.right, xLog);
    y = makeScale(ranges[1], area.bottom, area.top, yLog);
  }

  function drawCurves(context, curves) {
    const colours = theme();
    context.save();
    context.beginPath();
    context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
    context.clip();
    for (const curve of curves) drawCurve(context, curve, x, y, colours);
    context.restore();
  }

  function drawPointer(context) {
    const colours = theme();
    if (pointed) {
      const { curve, i } = pointed;
      context.beginPath();
      context.arc(x.toPixel(curve.x[i]), y.toPixel(curve.y[i]), 4.5, 0, 2 * Math.PI);
      Object.assign(context, {
        fillStyle: colours.paper,
        strokeStyle: colours.curve(curve.colour),
        lineWidth: 2,
      });
      context.fill();
      context.stroke();
    }
    if (drag) {
      Object.assign(context, { fillStyle: colours.accent, globalAlpha: 0.15 });
      context.fillRect(drag.x0, drag.y0, drag.x1 - drag.x0, drag.y1 - drag.y0);
      context.globalAlpha = 1;
    }
  }

  function draw() {
    const width = host.clientWidth;
    if (width === 0) return; // the host is hidden in a collapsed element
    const described = plot();
    const height = described.height(width);
    const context = fitCanvas(canvas, width, height);
    layOut(width, height, described);
    drawAxes(context, area, x, y, described);
    drawCurves(context, described.curves);
    drawPointer(context);
  }

  function zoom(to) {
    view = to;
    news.zoomed(view !== null);
    draw();
  }

  const inside = (value, low, high) => Math.min(Math.max(value, low), high);
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [
      inside(event.clientX - box.left, area.left, area.right),
      inside(event.clientY - box.top, area.top, area.bottom),
    ];
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return; // touch scrolls the page
    const [px, py] = place(event);
    drag = { x0: px, y0: py, x1: px, y1: py };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [px, py] = place(event);
    if (drag) Object.assign(drag, { x1: px, y1: py });
    pointed = drag ? null : nearestPoint(plot().curves, x, y, px, py);
    news.pointed(pointed);
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    const d = drag;
    drag = null;
    if (!d) return;
    const across = [d.x0, d.x1].sort((a, b) => a - b);
    const down = [d.y0, d.y1].sort((a, b) => a - b);
    const part = [across.map(x.toValue), down.reverse().map(y.toValue)];
    const isMeant = across[1] - across[0] > 5 && down[0] - down[1] > 5;
    if (isMeant && part.every(isWide)) zoom(part);
    else draw();
  });
  canvas.addEventListener("pointerleave", () => {
    pointed = null;
    news.pointed(null);
    draw();
  });
  canvas.addEventListener("dblclick", () => zoom(null));
  new ResizeObserver(draw).observe(host);
  onTheme(draw);
  return { draw, reset: () => zoom(null) };
}
