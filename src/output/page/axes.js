// Axes on a canvas: scales between numbers and pixels, ticks, and the frame around a picture.

// Sets a canvas to this size in CSS pixels, at the resolution of the screen; returns its cleared
// context.
function fitCanvas(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// Scale from a range of numbers to the pixels from `from` to `to`.
function makeScale([low, high], from, to, log = false) {
  const raise = log ? Math.log10 : (v) => v;
  const lower = log ? (v) => 10 ** v : (v) => v;
  const [a, b] = [raise(low) / 2, raise(high) / 2]; // halves, so that the difference is finite
  return {
    range: [low, high],
    log,
    toPixel: (value) => from + ((raise(value) / 2 - a) / (b - a)) * (to - from),
    toValue: (pixel) => lower(2 * (a + ((pixel - from) / (to - from)) * (b - a))),
    isValid: (value) => Number.isFinite(value) && (!log || value > 0),
  };
}

const widest = 7e307; // largest end of an axis, so that its length is finite
const finest = 1e-290; // smallest length of an axis, so that its fractions are normal numbers

// Whether the ends of the range differ by more than rounding.
const isWide = ([low, high]) =>
  high - low > Math.max(finest, 1e-12 * Math.max(Math.abs(low), Math.abs(high)));

// A range with a margin, even of a single number or of no number.
function padded(range, log = false) {
  if (!range) return log ? [0.1, 10] : [-1, 1];
  const [low, high] = range.map((v) => Math.min(Math.max(v, -widest), widest));
  if (log) {
    const air = low < high ? Math.max(1.01, (high / low) ** 0.03) : 3;
    return [Math.max(low / air, 1e-300), Math.min(high * air, widest)];
  }
  const size = Math.max(Math.abs(low), Math.abs(high));
  const air = isWide([low, high]) ? (high / 2 - low / 2) * 0.08 : size > finest ? size * 0.1 : 1;
  return [low - air, high + air];
}

// The number in a range that has the fewest digits.
function roundest([low, high]) {
  const biggest = Math.max(Math.abs(low), Math.abs(high));
  const most = Math.floor(Math.log10(biggest)) + 1;
  for (let e = most; e > most - 17; e--) {
    const number = Number(`${Math.ceil(low / 10 ** e)}e${e}`);
    if (number <= high) return number;
  }
  return low;
}

// Whether labels with this tick step would be too long, and are differences from a base instead.
function isLong(biggest, step) {
  const digits = Math.log10(biggest / step);
  return digits >= (isPlain(biggest) ? 6 : 3);
}

// Round numbers in a range of this many pixels that are at least `spacing` pixels apart. base: the
// number, as text, that labels are differences from, if they would differ in late digits only.
function linearTicks([low, high], length, spacing) {
  const rough = ((high - low) / length) * spacing;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= rough) ?? 10);
  const isFar = isLong(Math.max(Math.abs(low), Math.abs(high)), step);
  const base = isFar ? roundest([low, high]) : 0;
  const first = Math.ceil((low - base) / step - 1e-9);
  const count = Math.floor((high - base) / step + 1e-9) - first + 1;
  const distances = Array.from({ length: Math.max(0, count) }, (_, k) => (first + k) * step);
  return {
    values: distances.map((distance) => base + distance),
    labels: formatTicks(distances),
    base: base !== 0 ? String(base) : "",
  };
}

// The name of an axis, with the base that its labels are differences from.
function axisName(label, base) {
  if (!base) return label ?? "";
  if (!label) return `distance from ${base}`;
  return base.startsWith("-") ? `${label} + ${base.slice(1)}` : `${label} - ${base}`;
}

function logTicks([low, high], length, spacing) {
  const values = [];
  const perDecade = length / Math.log10(high / low);
  const multiples = perDecade < 60 ? [1] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++) {
    const power = Number(`1e${k}`); // correctly rounded, which 10 ** k is not always
    values.push(...multiples.map((m) => m * power).filter((v) => v >= low && v <= high));
  }
  return { values, labels: formatLogTicks(values, length / spacing), base: "" };
}

const ticksOf = (range, log, length, spacing) =>
  (log ? logTicks : linearTicks)(range, length, spacing);

const margins = { left: 68, right: 14, top: 10, bottom: 44 };

// Rectangle of the curves inside the labels and names of the axes.
const areaOf = (width, height) => ({
  left: margins.left,
  top: margins.top,
  right: Math.max(margins.left + 20, width - margins.right),
  bottom: Math.max(margins.top + 20, height - margins.bottom),
});

function drawAxes(context, area, x, y, { xLabel, yLabel }) {
  const colours = theme();
  const line = (x1, y1, x2, y2) => {
    context.beginPath();
    context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
    context.stroke();
  };
  Object.assign(context, {
    font: colours.font,
    fillStyle: colours.muted,
    strokeStyle: colours.grid,
    lineWidth: 1,
  });
  const width = area.right - area.left;
  const across = ticksOf(x.range, x.log, width, width < 400 ? 50 : 80);
  Object.assign(context, { textAlign: "center", textBaseline: "top" });
  across.values.forEach((value, i) => {
    const at = x.toPixel(value);
    line(at, area.top, at, area.bottom);
    if (across.labels[i]) context.fillText(across.labels[i], at, area.bottom + 6);
  });
  const upward = ticksOf(y.range, y.log, area.bottom - area.top, 40);
  Object.assign(context, { textAlign: "right", textBaseline: "middle" });
  upward.values.forEach((value, i) => {
    const at = y.toPixel(value);
    line(area.left, at, area.right, at);
    if (upward.labels[i]) context.fillText(upward.labels[i], area.left - 6, at);
  });
  Object.assign(context, { textAlign: "center", textBaseline: "bottom" });
  const below = area.bottom + margins.bottom - 2;
  context.fillText(axisName(xLabel, across.base), (area.left + area.right) / 2, below, width);
  context.save();
  context.translate(12, (area.top + area.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(axisName(yLabel, upward.base), 0, 4, area.bottom - area.top);
  context.restore();
}

// Ranges with the same length of a unit on both axes: the shorter range is widened.
function equalised([xa, xb], [ya, yb], area) {
  const perPixel = Math.max(
    (xb - xa) / (area.right - area.left),
    (yb - ya) / (area.bottom - area.top),
  );
  const grow = (a, b, pixels) => [(a + b - perPixel * pixels) / 2, (a + b + perPixel * pixels) / 2];
  return [grow(xa, xb, area.right - area.left), grow(ya, yb, area.bottom - area.top)];
}
