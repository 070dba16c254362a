// Pages in a browser: node test_page.mjs FOLDER, with the pages that make_page has written there.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import {
  chart,
  checkAccessible,
  checkAllDrawn,
  checkChanges,
  checkContrast,
  checkMotion,
  checkNoOverflow,
  checkToggle,
  checkZoom,
  download,
  drag,
  openFolder,
  parseCsv,
  pictureOf,
  settle,
} from "./browser.mjs";

const folder = process.argv[2];
const { file, on } = await openFolder(folder);
const names = ["every", "plain", "hostile", "small", "space", "large", "single"];

for (const name of ["every", "plain"]) {
  test(`${name}: everything is drawn`, () =>
    on(name, async (page) => {
      assert.equal(await checkAllDrawn(page), 9);
      assert.equal(await page.locator("figure.sparsity path.entries").count(), 5); // 1 and 4 shades
    }));

  test(`${name}: the legend shows and hides curves`, () =>
    on(name, async (page) => {
      for (const title of ["State", "Step size", "Way of the bob"])
        await checkToggle(page, chart(page, title));
    }));

  test(`${name}: of many curves twelve are shown at first`, () =>
    on(name, async (page) => {
      const many = chart(page, "Many");
      assert.equal(await many.locator(".curves button").count(), 20);
      assert.equal(await many.locator(".curves button[aria-pressed=true]").count(), 12);
      const last = many.locator(".curves button").last();
      await checkChanges(page, many.locator("canvas"), "showing a curve", () => last.click());
    }));

  test(`${name}: dragging zooms, a double click shows all`, () =>
    on(name, async (page) => {
      for (const title of ["State", "Drift", "Way of the bob", "Work and precision"])
        await checkZoom(page, chart(page, title));
      await checkZoom(page, page.locator("figure.phase"));
    }));

  test(`${name}: the cursor reads values`, () =>
    on(name, async (page) => {
      const figure = chart(page, "State");
      await figure.locator("canvas").hover({ position: { x: 500, y: 100 }, force: true });
      const place = (await figure.locator(".place").textContent()).match(/^t = (.+)$/);
      assert.ok(place && Number(place[1]) > 0, "the place under the cursor");
      const value = await figure.locator(".value").nth(0).textContent();
      assert.ok(name === "plain" || Math.abs(Number(value)) < 1.3, `the angle there: ${value}`);
    }));
}

test("plots over the same axis zoom together and share a cursor", (t) =>
  on("every", async (page) => {
    if (!(await page.evaluate(() => typeof uPlot === "function")))
      return t.skip("built without uPlot");
    const [state, drift, way] = ["State", "Drift", "Way of the bob"].map((title) =>
      chart(page, title),
    );
    const apart = (await pictureOf(way.locator("canvas"))).hash;
    await checkChanges(page, drift.locator("canvas"), "zooming another plot", () =>
      drag(page, state.locator("canvas"), [0.4, 0.5], [0.6, 0.5]),
    );
    assert.equal((await pictureOf(way.locator("canvas"))).hash, apart, "another axis stays");
    await state.locator("canvas").hover({ position: { x: 500, y: 100 }, force: true });
    assert.equal(
      await drift.locator(".place").textContent(),
      await state.locator(".place").textContent(),
    );
    assert.match(await drift.locator(".place").textContent(), /^t = /);
    const whole = drift.locator("button.whole");
    await whole.click();
    assert.equal(await state.locator("button.whole").isVisible(), false, "and back together");
  }));

test("a motion plays, stops and seeks", () =>
  on("every", async (page) => {
    const figure = page.locator("figure.motion");
    await checkMotion(page, figure);
    await figure.locator("input[type=range]").evaluate((input) => {
      input.value = input.max / 2;
      input.dispatchEvent(new Event("input"));
    });
    const trails = figure.getByLabel("trails");
    await checkChanges(page, figure.locator("canvas"), "trails", () => trails.check());
  }));

test("a motion plays at the speed asked for, and again from the start", () =>
  on("every", async (page) => {
    const figure = page.locator("figure.motion");
    const time = async () => Number((await figure.locator("output").textContent()).slice(4));
    await figure.getByLabel("speed").selectOption("10×");
    await figure.getByLabel("loop").uncheck();
    await figure.locator("button.play").click();
    await page.waitForFunction(() => document.querySelector("button.play").textContent === "Play");
    assert.equal(await time(), 8, "without loop it stops at the end");
    await figure.getByLabel("loop").check();
    await figure.locator("button.play").click();
    await page.waitForTimeout(1200);
    assert.equal(
      await figure.locator("button.play").textContent(),
      "Pause",
      "with loop it does not",
    );
  }));

test("a phase plot shows the columns that are chosen", () =>
  on("every", async (page) => {
    const figure = page.locator("figure.phase");
    const canvas = figure.locator("canvas");
    const [upward, across] = [figure.locator("select").nth(0), figure.locator("select").nth(1)];
    assert.equal(await upward.inputValue(), "2");
    assert.equal(await across.inputValue(), "1");
    await checkChanges(page, canvas, "another column", () => upward.selectOption("y"));
    await checkChanges(page, canvas, "another column", () => across.selectOption("x"));
    await checkChanges(page, canvas, "the same scale", () =>
      figure.getByLabel("same scale").check(),
    );
    await canvas.hover({ position: { x: 400, y: 300 } });
    await page.mouse.move(...(await pointOn(canvas)));
    assert.match(await figure.locator(".place").textContent(), /^t = .*, x = .*, y = /);
  }));

// Where the curve of a canvas is lowest, on the screen.
async function pointOn(canvas) {
  const [x, y] = await canvas.evaluate((element) => {
    const ratio = devicePixelRatio;
    const copy = new OffscreenCanvas(element.width, element.height).getContext("2d", {
      willReadFrequently: true,
    });
    copy.drawImage(element, 0, 0);
    const colour = (px, py) => copy.getImageData(px, py, 1, 1).data;
    const centre = Math.round((element.width + 54 * ratio) / 2);
    for (let py = element.height - 50 * ratio; py > 0; py--) {
      const [red, , blue, alpha] = colour(centre, py);
      if (alpha > 128 && blue - red > 60) return [centre / ratio, py / ratio];
    }
    return [0, 0];
  });
  const box = await canvas.boundingBox();
  return [box.x + x, box.y + y];
}

test("hardly any data, or what is not finite, does no harm", () =>
  on("small", async (page) => {
    assert.equal(await page.locator("canvas").count(), 9);
    for (const box of await page.getByLabel("same scale").all()) await box.check();
    for (const button of await page.locator(".curves button").all()) await button.click();
    for (const canvas of await page.locator("canvas").all()) {
      await drag(page, canvas, [0.4, 0.3], [0.7, 0.7]);
      await canvas.hover({ force: true });
    }
    await page.locator("figure.motion button.play").click();
    await settle(page);
  }));

test("numbers are downloaded as they went in", () =>
  on("large", async (page) => {
    const { name, text } = await download(page, page.locator("figure.download button"));
    const { header, rows } = parseCsv(text);
    const expected = readFileSync(join(folder, "large.f8"));
    assert.equal(name, "large.csv");
    assert.deepEqual(header, ["t", "x", "y", "z", "u", "v", "w", "a", "b", "c"]);
    assert.equal(rows.length, 10000);
    rows
      .flat()
      .forEach((value, i) =>
        assert.ok(Object.is(value, expected.readDoubleLE(8 * i)), `number ${i}`),
      );
  }));

test("single numbers are downloaded with seven digits", () =>
  on("single", async (page) => {
    const { text } = await download(page, page.locator("figure.download button"));
    const expected = readFileSync(join(folder, "large.f8"));
    parseCsv(text).rows.forEach((row, k) =>
      [0, 3].forEach((column, i) => {
        const value = expected.readDoubleLE(8 * (10 * k + column));
        assert.ok(
          Math.abs(row[i] - value) <= 1e-6 * Math.abs(value),
          `row ${k}: ${row[i]} for ${value}`,
        );
      }),
    );
    assert.ok(
      Math.max(
        ...text
          .split(/[,\r\n]+/)
          .map((field) => field.replace(/e.*|[-.]/g, "").replace(/^0+/, "").length),
      ) <= 7,
    );
  }));

test("what is not finite, names with commas and no rows come through CSV", () =>
  on("small", async (page) => {
    const buttons = page.locator("figure.download button");
    const { header, rows } = parseCsv((await download(page, buttons.nth(0))).text);
    assert.deepEqual(header, ["t", "a,b", '"c"']);
    assert.deepEqual(rows, [
      [0, NaN, -Number.MAX_VALUE],
      [1, Infinity, Number.MAX_VALUE],
      [2, -Infinity, 2 ** -1022],
      [3, -1, -0],
    ]);
    assert.deepEqual(parseCsv((await download(page, buttons.nth(1))).text), {
      header: ["t"],
      rows: [],
    });
  }));

// as in pages.c
const hostile =
  "</script><script>window.harm=1</script><img src=x onerror='harm()'> <b>&amp; \"quoted\" 'text' -- --> ]]> " +
  "\\u0022 \x01\x7f µ≤∞ 長い";

// control characters are replaced
const shownHostile = hostile.replace(/[\x01\x7f]/g, "\ufffd");

test("texts are shown as they are, and do nothing", () =>
  on("hostile", async (page) => {
    const shown = await page.evaluate(() => {
      const texts = (selector) =>
        [...document.querySelectorAll(selector)].map((e) => e.textContent);
      return {
        harm: window.harm,
        images: document.images.length,
        texts: texts(
          "title, h1, h2, h3, main > section > p, .verdict p, pre, th, td, caption, nav a, .legend .label, .phase option, .code figcaption, summary, .chart figcaption",
        ),
      };
    });
    assert.equal(shown.harm, undefined);
    assert.equal(shown.images, 0);
    assert.equal(shown.texts.length, 25);
    for (const text of shown.texts) assert.equal(text, shownHostile);
    const { header } = parseCsv(
      (await download(page, page.locator("figure.download button"))).text,
    );
    assert.deepEqual(header, [shownHostile, shownHostile]);
  }));

test("code is copied", () =>
  on(
    "every",
    async (page) => {
      await page.locator(".code button").first().click();
      await page.getByText("Copied").waitFor();
      assert.equal(
        await page.evaluate(() => navigator.clipboard.readText()),
        "daedal run pendulum.dae --report pendulum.html\n",
      );
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ));

for (const colorScheme of ["light", "dark"]) {
  test(`texts and curves can be read in the ${colorScheme}`, () =>
    on(
      "every",
      async (page) => {
        const paper = await checkContrast(page);
        const [red] = paper.match(/\d+/g).map(Number);
        assert.ok(colorScheme === "dark" ? red < 60 : red > 200, `the page is ${paper}`);
      },
      { colorScheme },
    ));
}

test("plots follow the colours of the screen, and are light on paper", () =>
  on("every", async (page) => {
    const canvases = ["State", "Way of the bob"].map((title) =>
      chart(page, title).locator("canvas"),
    );
    const hashes = async () =>
      (await Promise.all(canvases.map(pictureOf))).map((picture) => picture.hash);
    const light = await hashes();
    await page.emulateMedia({ colorScheme: "dark" });
    await settle(page);
    const dark = await hashes();
    dark.forEach((hash, i) => assert.notEqual(hash, light[i]));
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await settle(page);
    assert.deepEqual(await hashes(), light);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await settle(page);
    assert.deepEqual(await hashes(), dark);
  }));

for (const name of names) {
  test(`${name}: fits a telephone, and grows with the window`, () =>
    on(
      name,
      async (page) => {
        await checkNoOverflow(page);
        const widths = () =>
          page.evaluate(() => [...document.querySelectorAll("canvas")].map((c) => c.clientWidth));
        const before = await widths();
        await page.setViewportSize({ width: 900, height: 700 });
        await settle(page);
        (await widths()).forEach((width, i) =>
          assert.ok(width > 2 * before[i], `${before[i]} to ${width}`),
        );
        await page.setViewportSize({ width: 360, height: 700 });
        await settle(page);
        assert.deepEqual(await widths(), before);
        await checkNoOverflow(page);
      },
      { viewport: { width: 360, height: 700 } },
    ));

  test(`${name}: has names for what it shows`, () => on(name, checkAccessible));
}

test("without JavaScript texts and tables can be read, and it is said what is missing", () =>
  on(
    "every",
    async (page) => {
      assert.match(await page.locator("noscript").innerText(), /need JavaScript/);
      assert.equal(await page.locator("td").count(), 15);
      assert.ok(await page.getByText("A pendulum of 1 m").isVisible());
      assert.equal(await page.locator("nav a").count(), 6);
      await checkNoOverflow(page);
    },
    { javaScriptEnabled: false },
  ));

test("10,000 rows of 10 columns, plotted and to be downloaded, take less than 2 MB", () => {
  assert.ok(statSync(file("large")).size < 2e6);
});
