// Motions in space: a stage of shapes with a ground grid, trails, labels and the axes.

// Ground: square to the vertical, at height 0 or at the lowest point below, with lines at round
// distances. Returns the step of the lines, and each line as two points.
function groundOf({ low, high, basis, radius }) {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => low.map((v, k) => ((i >> k) & 1 ? high[k] : v)));
  const range = (axis) => {
    const along = corners.map((corner) => dot(axis, corner));
    return [Math.min(...along), Math.max(...along)];
  };
  const [xs, ys, zs] = basis.map(range);
  const power = 10 ** Math.floor(Math.log10(radius / 4));
  const step = power * ([1, 2, 5].find((m) => m * power >= radius / 4) ?? 10);
  const isNear = zs[0] > -0.02 * radius && zs[0] < 2 * radius;
  const height = isNear ? 0 : zs[0];
  const reach = ([from, to]) => [Math.floor(from / step - 0.5), Math.ceil(to / step + 0.5)];
  const [[x0, x1], [y0, y1]] = [reach(xs), reach(ys)];
  const at = (x, y) =>
    plus(
      plus(
        basis[0].map((v) => v * x * step),
        basis[1],
        y * step,
      ),
      basis[2],
      height,
    );
  const lines = [];
  for (let x = x0; x <= x1; x++) lines.push([at(x, y0), at(x, y1), x === 0]);
  for (let y = y0; y <= y1; y++) lines.push([at(x0, y), at(x1, y), y === 0]);
  return { step, lines: lines.length <= 400 ? lines : [] };
}

// Points of the scene with radii around them, of some frames and shapes.
function sceneOf(shapes, frames, stage) {
  const [mostFrames, mostPoints] = [40, 3000];
  const count = Math.min(frames.count, mostFrames);
  const all = Array.from({ length: count }, (_, i) => {
    const values = frames.of(Math.round((i * (frames.count - 1)) / Math.max(1, count - 1)));
    return shapes.flatMap((shape) => stage.pointsOf(shape, values));
  }).flat();
  const every = Math.ceil(all.length / mostPoints);
  const found = all.filter((_, i) => i % every === 0);
  return found.length > 0 ? found : [[0, 0, 0, 1]];
}

// Trails of shapes up to a moment, as segments.
function makeTrails(frames, stage, traced) {
  const batch = makeBatch(10);
  const paths = new Map();
  const pathOf = (shape) => {
    if (!paths.has(shape)) {
      const values = [];
      const points = Array.from({ length: frames.count }, (_, frame) => {
        for (let k = 0; k < 7; k++) values[shape.first + k] = frames.value(frame, shape.first + k);
        return stage.poseOf(shape, values)?.at ?? null;
      });
      paths.set(shape, points);
    }
    return paths.get(shape);
  };
  return {
    layer(moment, values, origin, colours, chosen) {
      batch.clear();
      const last = frames.frameAt(moment);
      traced.forEach((shape, i) => {
        if (!chosen.has(i)) return;
        const path = [...pathOf(shape).slice(0, last + 1), stage.poseOf(shape, values)?.at];
        const colour = colours.trail(i);
        for (let k = 1; k < path.length; k++)
          if (path[k - 1] && path[k])
            batch.push(
              ...plus(path[k - 1], origin, -1),
              ...plus(path[k], origin, -1),
              ...colour,
              1.6,
            );
      });
      return batch.layer("line", { nearer: 1e-5 });
    },
  };
}

// A list of boxes to tick: names of the shapes whose trails are shown.
function makeChoice(traced, changed) {
  const most = 12; // trails at first, as many as there are colours
  const chosen = new Set(Array.from({ length: Math.min(most, traced.length) }, (_, i) => i));
  const boxes = traced.map((shape, i) => {
    const box = make("input", {
      type: "checkbox",
      change: () => {
        if (box.checked) chosen.add(i);
        else chosen.delete(i);
        changed();
      },
    });
    box.checked = chosen.has(i);
    return make("label", {}, box, ` ${shape.label ?? `${shape.kind} ${i + 1}`}`);
  });
  const element = make(
    "details",
    { class: "choice" },
    make("summary", {}, "trails of"),
    make("div", {}, ...boxes),
  );
  return { element, chosen };
}

// Labels and axes, on the picture of the renderer. project: from space to pixels, null behind the
// eye.
function drawLabels(context, shapes, stage, values, project, colours) {
  Object.assign(context, {
    font: colours.font,
    fillStyle: colours.text,
    strokeStyle: colours.paper,
    lineWidth: 3,
    lineJoin: "round",
    textAlign: "left",
    textBaseline: "bottom",
  });
  for (const shape of shapes) {
    const pose = shape.label && stage.poseOf(shape, values);
    const at = pose && project(pose.at);
    if (!at) continue;
    context.strokeText(shape.label, at[0] + 7, at[1] - 6);
    context.fillText(shape.label, at[0] + 7, at[1] - 6);
  }
}

function drawTriad(context, camera, height, colours) {
  const [right, top, back] = camera.axes();
  const origin = [44, height - 44];
  const ends = ["x", "y", "z"].map((name, k) => ({
    name,
    colour: colours.curve([1, 2, 0][k]),
    across: right[k],
    upward: top[k],
    depth: back[k],
  }));
  for (const { name, colour, across, upward } of ends.sort((a, b) => a.depth - b.depth)) {
    context.beginPath();
    context.moveTo(...origin);
    context.lineTo(origin[0] + 26 * across, origin[1] - 26 * upward);
    Object.assign(context, { strokeStyle: colour, lineWidth: 2.5, lineCap: "round" });
    context.stroke();
    Object.assign(context, { fillStyle: colour, textAlign: "center", textBaseline: "middle" });
    context.font = colours.font;
    if (Math.hypot(across, upward) > 0.2)
      context.fillText(name, origin[0] + 36 * across, origin[1] - 36 * upward);
  }
}

const viewNames = {
  model: "Model",
  isometric: "Isometric",
  front: "Front",
  side: "Side",
  top: "Top",
};

function startSpaceMotion(figure, motion) {
  const { shapes } = motion;
  const renderer = makeRenderer(shapes.length > manyShapes ? 12 : 32);
  if (!renderer) {
    figure.append(make("p", { class: "note" }, "The motion needs WebGL, which is not available."));
    return;
  }
  const still = figure.querySelector(".still");
  const frames = makeFrames(motion);
  const stage = makeStage(shapes);
  stage.measure(frames.of(0));
  const camera = makeCamera(sceneOf(shapes, frames, stage), motion.camera);
  const ground = groundOf(camera);
  const traced = tracedOf(shapes).filter(({ kind, label }) => label || !symbols.has(kind));
  const trails = makeTrails(frames, stage, traced);
  const labels = shapes.map((shape) => shape.label).filter(Boolean);
  const canvas = make("canvas", {
    role: "img",
    tabindex: 0,
    "aria-label": `Motion in space. ${labels.slice(0, 20).join(" ")}`,
  });
  const host = make("div", { class: "canvas space" }, canvas);
  const grid = makeBatch(10);
  const player = makePlayer(frames, draw);
  const choice = makeChoice(traced, player.redraw);
  const look = (name) => {
    perspective.checked = name === "model" || name === "isometric";
    camera.state.perspective = perspective.checked;
    camera.look(name);
    player.redraw();
  };
  const perspective = make("input", { type: "checkbox", change: player.redraw });
  const names = make("input", { type: "checkbox", change: player.redraw });
  const clear = make("input", { type: "checkbox", change: player.redraw });
  const follow = make("input", { type: "checkbox", change: player.redraw });
  let anchor = null; // middle of the shapes that the camera follows, null: it stays
  perspective.checked = true;
  names.checked = labels.length <= 30;
  const views = make(
    "div",
    { class: "controls views", role: "group", "aria-label": "View" },
    ...camera.names.map((name) =>
      make("button", { type: "button", click: () => look(name) }, viewNames[name]),
    ),
    make("label", {}, perspective, " perspective"),
    make("label", {}, clear, " transparent"),
    make("label", {}, follow, " follow"),
    ...(labels.length > 0 ? [make("label", {}, names, " names")] : []),
    ...(traced.length > 1 ? [choice.element] : []),
  );
  const hint = make(
    "p",
    { class: "note" },
    "Drag to turn; shift or the right button moves. After a click the wheel zooms. Two fingers move " +
      "and zoom. Keys: arrows, +, -, 0, space.",
  );
  still?.remove();
  figure.prepend(host, player.controls.element, views, hint);

  function draw(moment, controls) {
    const width = host.clientWidth;
    if (width === 0) return;
    const height = Math.round(
      Math.min(0.62 * width + 60, 560, Math.max(260, 0.72 * window.innerHeight)),
    );
    const ratio = devicePixelRatio || 1;
    const colours = spaceColours();
    const values = frames.at(moment);
    camera.state.perspective = perspective.checked;
    camera.resize(width, height);
    if (!draw.done) camera.look(camera.names[0]);
    draw.done = true;
    const middle = follow.checked ? stage.middleOf(values) : null;
    if (anchor && middle)
      camera.state.target = plus(plus(camera.state.target, middle), anchor, -1);
    anchor = middle;
    const origin = camera.state.target;
    const view = camera.matrix(2.5 * camera.radius + 2 * ground.step);
    const [right, top, back] = camera.axes();
    grid.clear();
    for (const [a, b, isAxis] of ground.lines)
      grid.push(
        ...plus(a, origin, -1),
        ...plus(b, origin, -1),
        ...(isAxis ? mixed(colours.gridLine, channels(colours.muted), 0.5) : colours.gridLine),
        1.2,
      );
    const layers = stage.layers(values, origin, colours, clear.checked);
    layers.unshift(grid.layer("line", { nearer: -1e-5 }));
    if (controls.trails.checked || traced.length === 0)
      layers.push(trails.layer(moment, values, origin, colours, choice.chosen));
    renderer.render({
      width: Math.round(width * ratio),
      height: Math.round(height * ratio),
      ratio,
      view,
      light: unit(plus(plus(top.map((v) => 0.75 * v), right, -0.45), back, 0.7)),
      edges: colours.edges,
      layers,
    });
    const context = fitCanvas(canvas, width, height);
    context.drawImage(renderer.canvas, 0, 0, width, height);
    const project = (p) => {
      const [x, y, z] = plus(p, origin, -1);
      const at = [0, 1, 3].map((k) => view[k] * x + view[4 + k] * y + view[8 + k] * z + view[12 + k]);
      return at[2] > 0 ? [((at[0] / at[2] + 1) / 2) * width, ((1 - at[1] / at[2]) / 2) * height] : null;
    };
    if (names.checked) drawLabels(context, shapes, stage, values, project, colours);
    drawTriad(context, camera, height, colours);
    Object.assign(context, {
      font: colours.font,
      fillStyle: colours.muted,
      textAlign: "right",
      textBaseline: "bottom",
    });
    if (ground.lines.length > 0)
      context.fillText(`grid ${format(ground.step)}`, width - 8, height - 6);
  }

  steerCamera(canvas, camera, player.redraw);
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    player.toggle();
  });
  renderer.onRestored(player.redraw);
  new ResizeObserver(player.redraw).observe(host);
  onTheme(player.redraw);
}
