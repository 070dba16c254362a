// What tests of pages do in a browser: open a page and watch it, look at pictures, use the controls
// as a reader would. Checks throw an AssertionError that says what is wrong.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Where Debian has it, or CHROMIUM.
export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

// With a profile of its own, which goes with it.
export const launch = () => chromium.launch({ executablePath: chromiumPath, args: flags });

// Opens a file and hands the page to `use`; afterwards nothing may have gone wrong on it: no error on
// the console, no exception, and nothing asked for but the file itself. options: those of a browser
// context, as viewport, colorScheme and javaScriptEnabled.
export async function withPage(browser, file, options, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    // WebGL in software warns that pictures are read back
    if (message.text().includes("GL Driver Message")) return;
    if (["error", "warning"].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`exception: ${error.stack}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) wrong.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(pathToFileURL(file).href);
    if (options.javaScriptEnabled !== false) await settle(page);
    const result = await use(page);
    assert.deepEqual(wrong, []);
    return result;
  } finally {
    await context.close();
  }
}

// The pages of a folder: file(name) is one, on(name, use, options) opens it as above. The browser ends
// with the tests.
export async function openFolder(folder) {
  const browser = await launch();
  const file = (name) => join(folder, `${name}.html`);
  const on = (name, use, options = {}) => withPage(browser, file(name), options, use);
  test.after(() => browser.close());
  return { file, on };
}

// Until everything that was due has been drawn.
export const settle = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

// ------------------------------------------------------------------------------------- pictures

// A canvas: a hash of its pixels, and the part of them that has a colour, as curves and shapes have
// and axes have not. Read from a copy, which does not change how the browser keeps the canvas.
export const pictureOf = (canvas) =>
  canvas.evaluate(async (element) => {
    const { width, height } = element;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(element, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue, alpha] = data.subarray(i, i + 4);
      const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
      if (alpha > 128 && spread > 60) coloured++;
    }
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    const hash = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return { hash, coloured: coloured / (width * height) };
  });

// The canvas has curves or shapes on it.
export async function checkDrawn(canvas, what) {
  const { coloured } = await pictureOf(canvas);
  assert.ok(coloured > 0.0002, `${what} is drawn (${coloured} of it)`);
}

// Every canvas of the page.
export async function checkAllDrawn(page) {
  const figures = page.locator("figure:has(canvas)");
  for (let i = 0; i < (await figures.count()); i++) {
    await checkDrawn(figures.nth(i).locator("canvas"), `figure ${i + 1}`);
  }
  return figures.count();
}

// `act` changes the picture of the canvas.
export async function checkChanges(page, canvas, what, act) {
  const before = await pictureOf(canvas);
  await act();
  await settle(page);
  const after = await pictureOf(canvas);
  assert.notEqual(after.hash, before.hash, `${what} changes the picture`);
  return { before, after };
}

// ------------------------------------------------------------------------------------- controls

// The figure of a plot with this title.
export const chart = (page, title) =>
  page
    .locator("figure.chart")
    .filter({ has: page.locator("figcaption", { hasText: new RegExp(`^${title}$`) }) });

// A curve goes away and comes back.
export async function checkToggle(page, figure, curve = 0) {
  const canvas = figure.locator("canvas");
  const button = figure.locator(".curves button").nth(curve);
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  const { before } = await checkChanges(page, canvas, "hiding a curve", () => button.click());
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  await button.click();
  await page.mouse.move(0, 0);
  await settle(page);
  assert.equal((await pictureOf(canvas)).hash, before.hash, "the curve comes back");
}

// Drags over a part of a canvas, given in parts of its width and height.
export async function drag(page, canvas, [x0, y0], [x1, y1]) {
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + x0 * box.width, box.y + y0 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + ((x0 + x1) / 2) * box.width, box.y + ((y0 + y1) / 2) * box.height);
  await page.mouse.move(box.x + x1 * box.width, box.y + y1 * box.height);
  await page.mouse.up();
  await page.mouse.move(0, 0);
  await settle(page);
}

// Dragging shows a part; a double click, and the button that offers it, show all again.
export async function checkZoom(page, figure) {
  const canvas = figure.locator("canvas");
  const whole = figure.locator("button.whole");
  const zoom = () => drag(page, canvas, [0.4, 0.3], [0.7, 0.7]);
  assert.equal(await whole.isVisible(), false);
  const { before } = await checkChanges(page, canvas, "zooming", zoom);
  assert.ok(await whole.isVisible(), "there is a button that shows all");
  await canvas.dblclick({ position: { x: 200, y: 100 }, force: true });
  await page.mouse.move(0, 0);
  await settle(page);
  assert.equal((await pictureOf(canvas)).hash, before.hash, "a double click shows all");
  await zoom();
  await whole.click();
  await page.mouse.move(0, 0);
  await settle(page);
  assert.equal((await pictureOf(canvas)).hash, before.hash, "the button shows all");
}

const timeOf = async (figure) =>
  Number((await figure.locator("output").textContent()).replace("t = ", ""));

// Playing moves it, pausing stops it, the scrubber seeks.
export async function checkMotion(page, figure) {
  const canvas = figure.locator("canvas");
  const play = figure.locator("button.play");
  const start = await timeOf(figure);
  await page.waitForTimeout(200);
  assert.equal(await timeOf(figure), start, "it stands at first");
  await checkChanges(page, canvas, "playing", async () => {
    await play.click();
    await page.waitForTimeout(400);
    await play.click();
  });
  const now = await timeOf(figure);
  assert.notEqual(now, start, "time has passed");
  await page.waitForTimeout(200);
  assert.equal(await timeOf(figure), now, "it stands again");
  await checkScrubber(page, figure);
  await canvas.focus();
  await page.keyboard.press("Space");
  assert.equal(await play.textContent(), "Pause", "the space bar plays");
  await page.keyboard.press("Space");
  assert.equal(await play.textContent(), "Play", "and stops it");
}

// Moves the scrubber of a motion to a part of the whole time.
export async function seek(page, figure, part) {
  await figure.locator("input[type=range]").evaluate((input, p) => {
    input.value = p * input.max;
    input.dispatchEvent(new Event("input"));
  }, part);
  await settle(page);
}

// Half-way, the picture is another than at the start, and the same again there.
async function checkScrubber(page, figure) {
  const canvas = figure.locator("canvas");
  const seen = async (part) => {
    await seek(page, figure, part);
    return { t: await timeOf(figure), hash: (await pictureOf(canvas)).hash };
  };
  const [first, half, last, again] = [
    await seen(0),
    await seen(0.47),
    await seen(1),
    await seen(0),
  ];
  const expected = first.t + 0.47 * (last.t - first.t);
  assert.ok(Math.abs(half.t - expected) <= 1e-3 * Math.abs(last.t - first.t), "it seeks the time");
  assert.notEqual(half.hash, first.hash);
  assert.deepEqual(again, first);
}

// The file that a download button saves, as text.
export async function download(page, button) {
  const [saved] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: saved.suggestedFilename(), text: readFileSync(await saved.path(), "utf8") };
}

// CSV by RFC 4180: { header, rows } with rows of numbers; nan and inf as the command writes them.
export function parseCsv(text) {
  assert.ok(text.endsWith("\r\n"), "the last record ends as the others do");
  const records = text.slice(0, -2).match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g);
  const fields = (record) =>
    record
      .match(/"(?:[^"]|"")*"|[^",]+/g)
      .map((f) => (f.startsWith('"') ? f.slice(1, -1).replaceAll('""', '"') : f));
  const number = (field) =>
    ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[field] ?? Number(field);
  return {
    header: fields(records[0]),
    rows: records.slice(1).map((record) => fields(record).map(number)),
  };
}

// --------------------------------------------------------------------------------------- looks

// Nothing sticks out at the right.
export async function checkNoOverflow(page) {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(content <= window, `the page is ${content} wide in a window of ${window}`);
}

// Contrast of two colours as WCAG 2 has it.
function contrast(a, b) {
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((c) => {
      const part = Number(c) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// Every text against what is behind it, 4.5 or more; curves against the page, 3 or more. Returns the
// colour of the page.
export async function checkContrast(page) {
  const { texts, curves, paper } = await page.evaluate(() => {
    const opaque = (element) => {
      const colour = getComputedStyle(element).backgroundColor;
      return colour === "rgba(0, 0, 0, 0)" ? opaque(element.parentElement) : colour;
    };
    const hasText = (element) =>
      [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const elements = [
      ...document.body.querySelectorAll("*:not(script):not(noscript):not(svg *)"),
    ].filter(hasText);
    const probe = document.body.appendChild(document.createElement("i"));
    const resolved = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const curves = Array.from({ length: 12 }, (_, i) => resolved(`--curve-${i}`));
    probe.remove();
    return {
      texts: elements.map((e) => [e.tagName, e.className, getComputedStyle(e).color, opaque(e)]),
      curves,
      paper: getComputedStyle(document.body).backgroundColor,
    };
  });
  for (const [tag, name, colour, behind] of texts) {
    assert.ok(contrast(colour, behind) >= 4.5, `${tag}.${name}: ${colour} on ${behind}`);
  }
  for (const colour of curves)
    assert.ok(contrast(colour, paper) >= 3, `a curve: ${colour} on ${paper}`);
  return paper;
}

// Headings come in order, controls have names, pictures have descriptions, ids are unique.
export async function checkAccessible(page) {
  const found = await page.evaluate(() => {
    const levels = [...document.querySelectorAll("h1, h2, h3")].map((h) => Number(h.tagName[1]));
    const named = (e) =>
      e.closest("label")?.textContent.trim() || e.ariaLabel || e.textContent.trim();
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    return {
      skips: levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1),
      nameless: [...document.querySelectorAll("button, select, input")]
        .filter((e) => !named(e))
        .map((e) => e.outerHTML),
      undescribed: [...document.querySelectorAll("canvas, svg")].filter(
        (e) => !e.closest("[role=img][aria-label]"),
      ).length,
      twice: ids.filter((id, i) => ids.indexOf(id) !== i),
      dead: [...document.querySelectorAll("nav a")].filter((a) => !document.querySelector(a.hash))
        .length,
    };
  });
  assert.deepEqual(found, { skips: [], nameless: [], undescribed: 0, twice: [], dead: 0 });
}
