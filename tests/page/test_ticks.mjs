// Axes of pages, without a browser: node test_ticks.mjs FOLDER, where the scripts of pages are.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import vm from "node:vm";

const read = (name) => readFileSync(join(process.argv[2], name), "utf8");
const { format, formatTicks, linearTicks, logTicks, padded, makeScale, axisName } =
  vm.runInNewContext(
    `${read("numbers.js")}\n${read("axes.js")}
  ({ format, formatTicks, linearTicks, logTicks, padded, makeScale, axisName });`,
  );

// Ranges of all sizes and places: widths of 1e-11 to 1e15 times the number they are around.
function* ranges() {
  for (let k = -280; k <= 280; k += 7) {
    for (const m of [-1, 1]) {
      const place = m * 1.2345678901234 * 10 ** k;
      for (let w = -11; w <= 15; w += 1.3) {
        const width = Math.abs(place) * 10 ** w;
        if (width < 1e300 && width > 1e-285) yield [place - width / 3, place + width];
      }
    }
  }
}

test("a linear axis has a few ticks, within it, whose labels are short and true", () => {
  for (const range of ranges()) {
    const [low, high] = range;
    const { values, labels, base } = linearTicks(range, 600, 80);
    assert.ok(values.length >= 2 && values.length <= 8, `${range}: ${values}`);
    const slack = (high - low) * 1e-9 + Math.max(Math.abs(low), Math.abs(high)) * 1e-15;
    values.forEach((value, i) => {
      assert.ok(value >= low - slack && value <= high + slack, `${range}: ${value}`);
      assert.ok(
        labels[i].length <= 10 + (/e-?\d{3}/.test(labels[i]) ? 1 : 0),
        `${range}: ${labels}`,
      );
      const told = Number(labels[i]) + Number(base || 0);
      assert.ok(
        Math.abs(told - value) <= slack + (high - low) * 1e-4,
        `${range}: ${labels} ${base}`,
      );
    });
    assert.equal(new Set(labels).size, labels.length, `${range}: ${labels}`);
  }
});

test("a logarithmic axis has labels, and not too many", () => {
  for (let from = -280; from < 280; from += 13) {
    for (const decades of [0.8, 1.5, 3, 8, 20, 25]) {
      const { values, labels } = logTicks([3 * 10 ** from, 3 * 10 ** (from + decades)], 300, 40);
      const shown = labels.filter(Boolean);
      assert.equal(values.length, labels.length);
      assert.ok(shown.length >= 1 && shown.length <= 10, `1e${from}, ${decades}: ${shown}`);
      assert.equal(new Set(shown).size, shown.length);
    }
  }
});

test("whatever the numbers, an axis has a length", () => {
  const numbers = [
    0,
    -0,
    1,
    -1,
    1e-323,
    5e-324,
    1e-300,
    1e300,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    1 + 2 ** -52,
  ];
  for (const a of numbers) {
    for (const b of numbers) {
      const [low, high] = padded([Math.min(a, b), Math.max(a, b)]);
      assert.ok(high - low > 0 && Number.isFinite(high - low), `${a}, ${b}: ${low}, ${high}`);
      linearTicks([low, high], 600, 80);
      const { toPixel, toValue } = makeScale([low, high], 68, 668);
      assert.ok(Math.abs(toPixel(low) - 68) < 1e-6 && Math.abs(toPixel(high) - 668) < 1e-6);
      assert.ok(Math.abs(toPixel(toValue(300)) - 300) < 1e-3);
    }
  }
  assert.deepEqual([...padded(null)], [-1, 1]);
  assert.deepEqual([...padded(null, true)], [0.1, 10]);
});

test("labels have the digits that tell them apart", () => {
  assert.deepEqual([...formatTicks([0, 0.5, 1])], ["0", "0.5", "1.0"]);
  assert.deepEqual([...formatTicks([-20, 0, 20])], ["-20", "0", "20"]);
  assert.deepEqual([...formatTicks([1e-9, 1.5e-9, 2e-9])], ["1.0e-9", "1.5e-9", "2.0e-9"]);
  assert.deepEqual([...formatTicks([2e6, 4e6])], ["2e6", "4e6"]);
  const late = linearTicks([2 - 1.1e-8, 2 + 1.1e-8], 300, 100);
  assert.deepEqual([...late.labels], ["-1e-8", "0", "1e-8"]);
  assert.equal(late.base, "2");
});

test("an axis is named with its base", () => {
  assert.equal(axisName("J", "2"), "J - 2");
  assert.equal(axisName("J", "-4.905"), "J + 4.905");
  assert.equal(axisName(null, "2"), "distance from 2");
  assert.equal(axisName("J", ""), "J");
  assert.equal(axisName(null, ""), "");
});

test("numbers are read with six digits", () => {
  const pairs = [
    [0, "0"],
    [1 / 3, "0.333333"],
    [-1234567, "-1.23457e6"],
    [1e-9, "1e-9"],
    [100, "100"],
    [NaN, "–"],
    [Infinity, "∞"],
  ];
  for (const [value, text] of pairs) assert.equal(format(value), text);
});
