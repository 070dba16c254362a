// Motions in space in a browser: node test_space.mjs FOLDER, with the pages that make_page has
// written there.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import test from "node:test";
import {
  checkChanges,
  checkDrawn,
  checkMotion,
  drag,
  openFolder,
  pictureOf,
  seek,
  settle,
} from "./browser.mjs";

const { file, on } = await openFolder(process.argv[2]);
const figureOf = (page) => page.locator("figure.motion");
const canvasOf = (page) => page.locator("figure.motion canvas");
const hashOf = async (page) => (await pictureOf(canvasOf(page))).hash;
const press = async (page, name) => {
  await page.getByRole("button", { name }).click();
  await settle(page);
};

// Extents of the coloured pixels of a canvas: [width, height], without the axes in its corner.
const extentsOf = (canvas) =>
  canvas.evaluate((element) => {
    const { width, height } = element;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(element, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const xs = [width, 0];
    const ys = [height, 0];
    for (let i = 0; i < data.length; i += 4) {
      const [x, y] = [(i / 4) % width, Math.floor(i / 4 / width)];
      const [red, green, blue, alpha] = data.subarray(i, i + 4);
      const isColoured = Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
      if (alpha < 200 || !isColoured || (x < 100 && y > height - 100)) continue;
      [xs[0], xs[1]] = [Math.min(xs[0], x), Math.max(xs[1], x)];
      [ys[0], ys[1]] = [Math.min(ys[0], y), Math.max(ys[1], y)];
    }
    return [xs[1] - xs[0] + 1, ys[1] - ys[0] + 1];
  });

const isNear = (value, expected, what) =>
  assert.ok(Math.abs(value - expected) <= 0.03 * expected, `${what}: ${value} for ${expected}`);

test("a motion in space plays, stops and seeks", () =>
  on("space", async (page) => {
    await checkDrawn(canvasOf(page), "the scene");
    await checkMotion(page, figureOf(page));
  }));

test("what is inside shows through transparent solids", () =>
  on("space", async (page) => {
    const box = page.getByLabel("transparent");
    const { before } = await checkChanges(page, canvasOf(page), "transparent", () => box.check());
    await box.uncheck();
    await settle(page);
    assert.equal(await hashOf(page), before.hash);
  }));

test("dragging turns, shift moves, a double click goes back", () =>
  on("space", async (page) => {
    const canvas = canvasOf(page);
    const first = await hashOf(page);
    const turn = () => drag(page, canvas, [0.4, 0.4], [0.6, 0.5]);
    const turned = await checkChanges(page, canvas, "dragging", turn);
    await canvas.dblclick();
    await settle(page);
    assert.equal(await hashOf(page), first, "a double click shows the first view");
    await page.keyboard.down("Shift");
    const moved = await checkChanges(page, canvas, "dragging with shift", turn);
    await page.keyboard.up("Shift");
    assert.notEqual(moved.after.hash, turned.after.hash, "moving is not turning");
  }));

test("the wheel zooms after a click, and scrolls the page before", () =>
  on("space", async (page) => {
    const canvas = canvasOf(page);
    const first = await hashOf(page);
    await canvas.hover();
    await page.mouse.wheel(0, -200);
    await settle(page);
    assert.equal(await hashOf(page), first);
    await canvas.click();
    await checkChanges(page, canvas, "the wheel", () => page.mouse.wheel(0, -200));
  }));

test("keys turn, move, zoom and go back", () =>
  on("space", async (page) => {
    const canvas = canvasOf(page);
    const first = await hashOf(page);
    await canvas.focus();
    for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowDown", "+", "-"])
      await checkChanges(page, canvas, key, () => page.keyboard.press(key));
    await page.keyboard.press("0");
    await settle(page);
    assert.equal(await hashOf(page), first);
  }));

test("views are named, and each is another one", () =>
  on("crowd", async (page) => {
    const model = await hashOf(page);
    const hashes = [model];
    for (const name of ["Isometric", "Front", "Side", "Top"]) {
      await press(page, name);
      hashes.push(await hashOf(page));
    }
    assert.equal(new Set(hashes).size, 5);
    await press(page, "Model");
    assert.equal(await hashOf(page), model, "the camera of the model comes back");
  }));

test("lengths are the same along both axes of the screen", () =>
  on("balls", async (page) => {
    const canvas = canvasOf(page);
    for (const width of [1280, 700]) {
      await page.setViewportSize({ width, height: 900 });
      await settle(page);
      for (const [name, ratio] of [
        ["Front", 3],
        ["Top", 3],
        ["Side", 1],
      ]) {
        await press(page, name);
        const [across, upward] = await extentsOf(canvas);
        isNear(across / upward, ratio, `${name} at ${width}`);
      }
    }
    await press(page, "Front");
    await checkChanges(page, canvas, "perspective", () => page.getByLabel("perspective").check());
  }));

test("one finger turns, two zoom", () =>
  on(
    "balls",
    async (page) => {
      const canvas = canvasOf(page);
      await press(page, "Front");
      const before = await extentsOf(canvas);
      const box = await canvas.boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const session = await page.context().newCDPSession(page);
      const touch = (type, ...points) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })),
        });
      await touch("touchStart", [x - 20, y], [x + 20, y]);
      await touch("touchMove", [x - 15, y], [x + 15, y]);
      await touch("touchMove", [x - 10, y], [x + 10, y]);
      await touch("touchEnd");
      await settle(page);
      isNear((await extentsOf(canvas))[1] / before[1], 0.5, "two fingers from 40 to 20 pixels");
      await press(page, "Front");
      await touch("touchStart", [x, y]);
      await touch("touchMove", [x + 40, y]);
      await touch("touchMove", [x + 80, y]);
      await touch("touchEnd");
      await settle(page);
      const [across, upward] = await extentsOf(canvas);
      assert.ok(across < 0.95 * before[0], "the balls are seen from aside");
      isNear(upward, before[1], "their height");
    },
    { hasTouch: true, viewport: { width: 390, height: 800 } },
  ));

test("trails follow the shapes that are chosen", () =>
  on("space", async (page) => {
    const canvas = canvasOf(page);
    await seek(page, figureOf(page), 0.8);
    const trails = page.getByLabel("trails", { exact: true });
    const { before } = await checkChanges(page, canvas, "trails", () => trails.check());
    await page.getByText("trails of").click();
    for (const name of ["upper arm", "fore arm", "ball", "hand"])
      await checkChanges(page, canvas, name, () => page.getByRole("checkbox", { name }).uncheck());
    assert.equal(await hashOf(page), before.hash, "without any there are none");
  }));

test("the scene follows the colours of the screen and the size of the window", () =>
  on("space", async (page) => {
    const canvas = canvasOf(page);
    await checkChanges(page, canvas, "the dark", () => page.emulateMedia({ colorScheme: "dark" }));
    await checkDrawn(canvas, "the scene in the dark");
    await checkChanges(page, canvas, "a small window", () =>
      page.setViewportSize({ width: 360, height: 700 }),
    );
    await checkDrawn(canvas, "the scene in a small window");
  }));

test("a lost context comes back", () =>
  on("space", async (page) => {
    await page.addInitScript(() => {
      const made = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (type, options) {
        const context = made.call(this, type, options);
        if (type === "webgl2") window.webgl = context;
        return context;
      };
    });
    await page.reload();
    await settle(page);
    const first = await hashOf(page);
    await page.evaluate(() => {
      window.loser = webgl.getExtension("WEBGL_lose_context");
      loser.loseContext();
    });
    await settle(page);
    await page.evaluate(() => loser.restoreContext());
    await page.waitForFunction(() => !webgl.isContextLost());
    await settle(page);
    assert.equal(await hashOf(page), first);
  }));

test("a camera that follows keeps what moves in the picture", () =>
  on("travel", async (page) => {
    const canvas = canvasOf(page);
    await press(page, "Front");
    await page.getByLabel("follow").check();
    const first = await pictureOf(canvas);
    await seek(page, figureOf(page), 1);
    const last = await pictureOf(canvas);
    isNear(last.coloured, first.coloured, "the ball in the picture");
    await page.getByLabel("follow").uncheck();
    await seek(page, figureOf(page), 0);
    assert.ok((await pictureOf(canvas)).coloured < 0.5 * first.coloured, "else it is gone");
  }));

test("without WebGL the static picture stays, and it is said why", () =>
  on("space", async (page) => {
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.reload();
    await settle(page);
    assert.ok((await page.locator(".still svg path").count()) > 10);
    assert.ok(await page.getByText("needs WebGL").isVisible());
    assert.equal(await page.locator("canvas").count(), 0);
  }));

test("without scripts there is a static picture", () =>
  on(
    "space",
    async (page) => {
      const box = await page.locator(".still svg").boundingBox();
      assert.ok(box.width > 300 && box.height > 150);
      for (const kind of ["path.line", "path.f1", "circle.dot"])
        assert.ok((await page.locator(`.still ${kind}`).count()) > 0, kind);
    },
    { javaScriptEnabled: false },
  ));

test("a thousand bodies in 40 frames take less than 3 MB", () => {
  assert.ok(statSync(file("crowd")).size < 3e6);
});
