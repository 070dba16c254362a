// Motions in space: the shapes of a moment as instances for the renderer, with a ground grid, trails,
// labels and the axes.

const isSolid = {
  sphere: "sphere",
  ellipsoid: "sphere",
  ball: "sphere",
  box: "box",
  slider: "box",
  cylinder: "cylinder",
  hinge: "cylinder",
};
const symbols = new Set(["ball", "hinge", "slider"]);
const manyShapes = 300; // number of shapes from which round ones have few sides
const coils = 8;

// Components from 0 to 1 of a colour of the style sheet, #rrggbb.
const channels = (colour) =>
  [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255 || 0);
const mixed = (a, b, part) => a.map((v, k) => v + part * (b[k] - v));

// Instances of a layer, in an array that grows.
function makeBatch(stride) {
  let data = new Float32Array(64 * stride);
  let used = 0;
  return {
    clear: () => (used = 0),
    push(...values) {
      if (used + stride > data.length) {
        const larger = new Float32Array(2 * data.length);
        larger.set(data);
        data = larger;
      }
      for (let k = 0; k < stride; k++) data[used + k] = values[k];
      used += stride;
    },
    layer: (kind, options) => ({
      kind,
      data: data.subarray(0, used),
      count: used / stride,
      ...options,
    }),
  };
}

// Colours of the theme as components.
function spaceColours() {
  const of = theme();
  const paper = channels(of.paper);
  const isDark = dot(paper, [1, 1, 1]) < 1.5;
  const solid = (colour) => mixed(channels(colour), isDark ? [0, 0, 0] : [1, 1, 1], 0.22);
  return {
    ...of,
    solid: (group) => (group ? solid(of.curve(group - 1)) : solid(of.accent)),
    line: (group) => channels(group ? of.curve(group - 1) : of.text),
    dot: (group) => channels(group ? of.curve(group - 1) : of.accent),
    joint: mixed(channels(of.text), paper, 0.25),
    edges: isDark ? mixed(channels(of.text), paper, 0.15) : mixed([0, 0, 0], paper, 0.12),
    gridLine: mixed(channels(of.grid), channels(of.muted), isDark ? 0.15 : 0.1),
    trail: (i) => channels(of.curve(i)),
  };
}

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

// Largest extent of points of a scene.
function extentOf(points) {
  const extents = [0, 1, 2].map(
    (k) => Math.max(...points.map((p) => p[k] + p[3])) - Math.min(...points.map((p) => p[k] - p[3])),
  );
  return Math.max(0, ...extents);
}

// Puts the shapes of a moment into batches. centre: origin of the coordinates of the renderer.
function makeStage(shapes) {
  const solids = { box: makeBatch(13), cylinder: makeBatch(13), sphere: makeBatch(13) };
  const joints = { box: makeBatch(13), cylinder: makeBatch(13), sphere: makeBatch(13) };
  const lines = makeBatch(10);
  let size = 1; // of the scene: symbols and thin shapes follow it
  let centre = [0, 0, 0];

  const solid = (to, kind, at, turn, measure, colour) =>
    to[kind].push(
      ...plus(at, centre, -1),
      ...turn,
      ...measure.map((v) => Math.max(Math.abs(v), 1e-6 * size)),
      ...colour,
    );
  const line = (a, b, colour, width) =>
    lines.push(...plus(a, centre, -1), ...plus(b, centre, -1), ...colour, width);
  const chain = (points, colour, width) =>
    points.slice(1).forEach((point, i) => line(points[i], point, colour, width));

  function circle(at, radius, axis, colour) {
    const u = squareTo(axis);
    const v = cross(axis, u);
    const around = Array.from({ length: 49 }, (_, i) => {
      const a = (2 * Math.PI * i) / 48;
      return plus(plus(at, u, radius * Math.cos(a)), v, radius * Math.sin(a));
    });
    chain(around, colour, 2);
  }

  function spring(a, b, width, colour) {
    const along = plus(b, a, -1);
    const u = squareTo(unit(along));
    const v = cross(unit(along), u);
    const count = shapes.length > manyShapes ? 4 * coils : 12 * coils;
    const coil = Array.from({ length: count + 1 }, (_, i) => {
      const angle = (2 * Math.PI * coils * i) / count;
      const r = i === 0 || i === count ? 0 : width / 2;
      const middle = plus(a, along, 0.08 + (0.84 * i) / count);
      return plus(plus(middle, u, r * Math.cos(angle)), v, r * Math.sin(angle));
    });
    chain([a, ...coil, b], colour, 2);
  }

  const sizes = {
    sphere: ([radius]) => [radius, radius, radius],
    ellipsoid: (s) => s,
    box: (s) => s,
    cylinder: ([radius, length]) => {
      const r = radius || 0.006 * size;
      return [r, r, length];
    },
    ball: ([s]) => [s / 2, s / 2, s / 2],
    hinge: ([s]) => [s / 3, s / 3, s],
    slider: ([s]) => [s / 2, s / 2, s],
  };

  // Position of a shape, and its Euler parameters; null where a value is missing.
  function poseOf({ first, points, kind, place, turn }, values) {
    const p = [values[first], values[first + 1], values[first + 2]];
    const hasTurn = kind in isSolid && kind !== "sphere";
    const n = hasTurn ? 7 : 3 * points;
    for (let k = 0; k < n; k++) if (Number.isNaN(values[first + k])) return null;
    if (!hasTurn) return { at: p, turn: [1, 0, 0, 0] };
    const e = unit4([values[first + 3], values[first + 4], values[first + 5], values[first + 6]]);
    return {
      at: place ? plus(p, rotated(e, place)) : p,
      turn: turn ? turned(e, unit4(turn)) : e,
    };
  }

  function put(shape, values, colours) {
    const { kind, first, points, group = 0 } = shape;
    const pose = poseOf(shape, values);
    if (!pose) return;
    const point = (p) => [0, 1, 2].map((k) => values[first + 3 * p + k]);
    if (kind in isSolid) {
      const radius = values[first + 3];
      const measure =
        kind === "sphere" ? [radius] : (shape.size ?? (symbols.has(kind) ? [0.018 * size] : [0]));
      if (Number.isNaN(measure[0])) return;
      const isJoint = symbols.has(kind);
      const colour = isJoint ? colours.joint : colours.solid(group);
      const to = isJoint ? joints : solids;
      solid(to, isSolid[kind], pose.at, pose.turn, sizes[kind](measure), colour);
    } else if (kind === "line") {
      chain(
        Array.from({ length: points }, (_, p) => point(p)),
        colours.line(group),
        2.5,
      );
    } else if (kind === "point") line(pose.at, pose.at, colours.dot(group), 9);
    else if (kind === "spring")
      spring(point(0), point(1), shape.size?.[0] ?? 0.04 * size, colours.line(group));
    else {
      const axis = [4, 5, 6].map((k) => values[first + k]);
      const radius = values[first + 3];
      if (![radius, ...axis].some(Number.isNaN) && norm(axis) > 0)
        circle(pose.at, radius, unit(axis), colours.dot(group));
    }
  }

  // Points of a shape with the radius of what is around them, [x, y, z, radius].
  function pointsOf(shape, values) {
    const { kind, first, points } = shape;
    const pose = poseOf(shape, values);
    if (!pose) return [];
    const round = kind === "sphere" || kind === "circle" ? values[first + 3] : 0;
    const half = { box: 0.5, cylinder: 1, ellipsoid: 1 }[kind] ?? 0;
    const [a = 0, b = 0, c = 0] = shape.size ?? [];
    const reach =
      kind === "cylinder"
        ? Math.hypot(a, b / 2)
        : kind === "ellipsoid"
          ? Math.max(a, b, c)
          : half * Math.hypot(a, b, c);
    if (kind in isSolid || kind === "circle") return [[...pose.at, round || reach]];
    return Array.from({ length: points }, (_, p) => [
      ...values.slice(first + 3 * p, first + 3 * p + 3),
      0,
    ]);
  }

  return {
    poseOf,
    pointsOf,
    middleOf(values) {
      const all = shapes.flatMap((shape) => pointsOf(shape, values));
      return [0, 1, 2].map((k) => all.reduce((sum, p) => sum + p[k] / all.length, 0));
    },
    measure: (values) =>
      (size = extentOf(shapes.flatMap((shape) => pointsOf(shape, values))) || size),
    // clear: solids are transparent
    layers(values, origin, colours, clear) {
      centre = origin;
      for (const batch of [...Object.values(solids), ...Object.values(joints), lines]) batch.clear();
      for (const shape of shapes) put(shape, values, colours);
      const of = (batches, options) =>
        Object.entries(batches).map(([kind, batch]) => batch.layer(kind, options));
      const line = lines.layer("line", { nearer: 2e-5 });
      return clear
        ? [...of(joints), line, ...of(solids, { alpha: 0.35 })]
        : [...of(solids), line, ...of(joints, { hidden: 0.3 })];
    },
  };
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
