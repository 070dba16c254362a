// The shapes of a moment as instances for the renderer.

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
