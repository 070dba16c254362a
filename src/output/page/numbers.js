// Numbers as text for readers.

// A number with six significant digits, without trailing zeros.
function format(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    return value
      .toExponential(5)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  }
  return String(Number(value.toPrecision(6)));
}

// Ticks up to this size are written without an exponent.
const isPlain = (biggest) => biggest >= 1e-3 && biggest < 1e6;

// Labels of the ticks of an axis, with as many digits as are needed to distinguish them.
function formatTicks(values) {
  if (values.length < 2) return values.map(format);
  const step = Math.abs(values[1] - values[0]);
  const largest = Math.max(...values.map(Math.abs));
  const exponent = (value) => Math.floor(Math.log10(value) + 1e-9);
  if (!isPlain(largest)) {
    const digits = Math.max(0, exponent(largest) - exponent(step));
    return values.map((v) => (v === 0 ? "0" : v.toExponential(digits).replace("e+", "e")));
  }
  const decimals = Math.max(0, -exponent(step));
  return values.map((v) => (Math.abs(v) < step / 2 ? "0" : v.toFixed(decimals)));
}

const superscripts = {
  "-": "⁻",
  0: "⁰",
  1: "¹",
  2: "²",
  3: "³",
  4: "⁴",
  5: "⁵",
  6: "⁶",
  7: "⁷",
  8: "⁸",
  9: "⁹",
};

const powerOfTen = (exponent) => "10" + [...String(exponent)].map((c) => superscripts[c]).join("");

// Ticks of a logarithmic axis with room for this many labels: powers of ten, all or every second,
// third, ...; on an axis with less than two powers of ten also 2 and 5 times them.
function formatLogTicks(values, room) {
  const exponents = values.map((v) => Math.log10(v));
  const isWhole = (e) => Math.abs(e - Math.round(e)) < 1e-9;
  const whole = exponents.filter(isWhole).length;
  if (whole < 2) return values.map((v) => (/^[125]/.test(v.toExponential()) ? format(v) : null));
  const every = Math.ceil(whole / Math.max(1, room));
  return exponents.map((e) =>
    isWhole(e) && Math.round(e) % every === 0 ? powerOfTen(Math.round(e)) : null,
  );
}
