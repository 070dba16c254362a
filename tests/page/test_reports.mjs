// Reports of the command in a browser: node test_reports.mjs FOLDER, with what run.sh had it write.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import {
  chart,
  checkAccessible,
  checkAllDrawn,
  checkContrast,
  checkMotion,
  checkNoOverflow,
  checkToggle,
  checkZoom,
  download,
  drag,
  openFolder,
  parseCsv,
} from "./browser.mjs";

const folder = process.argv[2];
const { file, on } = await openFolder(folder);
const names = ["pendulum", "slider_crank", "two_circuits", "compare", "papers"];

for (const name of names) {
  test(`${name}: everything is drawn`, () =>
    on(name, async (page) => assert.ok((await checkAllDrawn(page)) > 0)));

  test(`${name}: on a telephone nothing sticks out`, () =>
    on(name, checkNoOverflow, { viewport: { width: 360, height: 740 } }));

  test(`${name}: in the dark it can be read`, () =>
    on(name, checkContrast, { colorScheme: "dark" }));
}

test("pendulum: 10,000 rows stay below 2 MB", () => {
  assert.ok(statSync(file("pendulum")).size < 2e6);
});

test("pendulum: curves can be toggled and zoomed", () =>
  on("pendulum", async (page) => {
    await checkToggle(page, chart(page, "Variables"));
    await checkZoom(page, chart(page, "Drift off the constraints"));
    await checkZoom(page, page.locator("figure.phase"));
  }));

for (const name of ["pendulum", "slider_crank"])
  test(`${name}: the motion advances`, () =>
    on(name, (page) => checkMotion(page, page.locator("figure.motion"))));

test("pendulum: the download is the result file, number by number", () =>
  on("pendulum", async (page) => {
    const saved = await download(page, page.locator("figure.download button"));
    assert.equal(saved.name, "pendulum.csv");
    const ours = parseCsv(saved.text);
    const result = parseCsv(readFileSync(join(folder, "pendulum.csv"), "utf8"));
    assert.deepEqual(ours.header, result.header);
    assert.equal(ours.rows.length, 10001);
    assert.deepEqual(ours.rows, result.rows);
  }));

test("pendulum: headings, labels and names are in order", () => on("pendulum", checkAccessible));

test("two_circuits: sweeps and contraction are there", () =>
  on("two_circuits", async (page) => {
    for (const title of ["Sweeps over each window", "Contraction"])
      assert.equal(await chart(page, title).count(), 1, title);
    assert.equal(await page.locator("figure.motion").count(), 0);
  }));

test("compare: work and precision can be zoomed", () =>
  on("compare", async (page) => {
    const charts = page.locator("figure.chart");
    assert.ok((await charts.count()) >= 2);
    await checkZoom(page, charts.first());
  }));

test("papers: figures zoom one by one", () =>
  on("papers", async (page) => {
    await drag(page, page.locator("figure.chart canvas").first(), [0.4, 0.3], [0.7, 0.7]);
    assert.equal(await page.locator("button.whole:visible").count(), 1);
  }));
