// The camera of a motion in space: vectors, the view, and its control by mouse, touch and keys.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
// a + s b
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const norm = (a) => Math.hypot(...a);
const unit = (a) => a.map((v) => v / (norm(a) || 1));

// A vector of length 1 square to a unit vector.
function squareTo(a) {
  const least = [0, 1, 2].reduce((k, i) => (Math.abs(a[i]) < Math.abs(a[k]) ? i : k), 0);
  return unit(cross(a, [0, 1, 2].map((k) => (k === least ? 1 : 0))));
}

// Product of two sets of Euler parameters.
const turned = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

// The vector v turned by Euler parameters of length 1.
function rotated([e0, ...e], v) {
  const w = plus(cross(e, v), v, e0);
  return plus(v, cross(e, w), 2);
}

// Euler parameters that turn z into a unit vector.
function alongZ(a) {
  const e = [1 + a[2], -a[1], a[0], 0];
  return norm(e.slice(1)) < 1e-9 && e[0] < 1e-9 ? [0, 1, 0, 0] : unit4(e);
}

function unit4(e) {
  const length = Math.hypot(...e);
  return length > 0 ? e.map((v) => v / length) : [1, 0, 0, 0];
}

const quarter = Math.PI / 2;
const fieldOfView = Math.tan((15 * Math.PI) / 180); // tangent of half its angle

// Views by azimuth and elevation about the vertical; the front is seen along the second horizontal
// axis, the side from the end of the first.
const presets = {
  isometric: [quarter / 2, Math.atan(Math.SQRT1_2)],
  front: [0, 0],
  side: [quarter, 0],
  top: [0, quarter],
};

// A camera for a scene, points [x, y, z, radius] that shall be within the picture. camera: { up,
// from, to } of the model.
function makeCamera(scene, { up: vertical, from, to }) {
  const up = unit(vertical ?? [0, 0, 1]);
  const first = Math.abs(up[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
  const second = unit(cross(up, first));
  const basis = [cross(second, up), second, up];
  const low = [0, 1, 2].map((k) => Math.min(...scene.map((p) => p[k] - p[3])));
  const high = [0, 1, 2].map((k) => Math.max(...scene.map((p) => p[k] + p[3])));
  const middle = low.map((v, k) => v + (high[k] - v) / 2);
  const radius = Math.max(norm(plus(high, middle, -1)), 1e-9 * norm(middle), 1e-300);
  const state = { azimuth: 0, elevation: 0, distance: 1, target: middle, perspective: true };
  let aspect = 1;

  // right, up and towards the eye
  function axes() {
    const { azimuth: a, elevation: e } = state;
    const level = plus(
      basis[0].map((v) => v * Math.sin(a)),
      basis[1],
      -Math.cos(a),
    );
    const back = plus(
      level.map((v) => v * Math.cos(e)),
      basis[2],
      Math.sin(e),
    );
    const right = plus(
      basis[0].map((v) => v * Math.cos(a)),
      basis[1],
      Math.sin(a),
    );
    return [right, cross(back, right), back];
  }

  // all of the scene in the middle of the picture
  function look(azimuth, elevation) {
    Object.assign(state, { azimuth, elevation });
    const [right, top, back] = axes();
    const seen = scene.map((p) => {
      const away = plus(p, middle, -1);
      return { x: dot(right, away), y: dot(top, away), z: dot(back, away), r: p[3] };
    });
    const centre = (name) =>
      (Math.min(...seen.map((p) => p[name] - p.r)) + Math.max(...seen.map((p) => p[name] + p.r))) /
      2;
    const [x, y] = [centre("x"), centre("y")];
    const distances = seen.map((p) => {
      const wide = Math.max(
        (Math.abs(p.x - x) + p.r) / Math.max(aspect, 1e-3),
        Math.abs(p.y - y) + p.r,
      );
      return wide / (0.88 * fieldOfView) + (state.perspective ? p.z : 0);
    });
    state.target = plus(plus(middle, right, x), top, y);
    state.distance = Math.max(...distances, 0.01 * radius);
  }

  const isGiven = Boolean(from || to);
  function lookAsGiven() {
    const [eye, target] = [from ?? [0, 0, 0], to ?? [0, 0, 0]];
    const back = plus(eye, target, -1);
    const [x, y, z] = basis.map((axis) => dot(axis, back));
    Object.assign(state, {
      azimuth: Math.hypot(x, y) > 1e-9 * norm(back) ? Math.atan2(x, -y) : 0,
      elevation: Math.atan2(z, Math.hypot(x, y)),
      distance: norm(back),
      target,
    });
  }

  return {
    state,
    basis,
    low,
    high,
    radius,
    axes,
    look: (name) => (name === "model" ? lookAsGiven() : look(...presets[name])),
    names: [...(isGiven ? ["model"] : []), ...Object.keys(presets)],
    resize: (width, height) => (aspect = width / height),
    turn(across, upward) {
      state.azimuth -= across;
      state.elevation = Math.min(quarter, Math.max(-quarter, state.elevation + upward));
    },
    // moves the scene with the pointer, in parts of half the height of the picture
    move(across, upward) {
      const [right, top] = axes();
      const size = state.distance * fieldOfView;
      state.target = plus(plus(state.target, right, -across * size), top, -upward * size);
    },
    zoom(factor) {
      state.distance = Math.min(1e3 * radius, Math.max(1e-4 * radius, state.distance * factor));
    },
    // matrix, by columns, from coordinates relative to the target to the picture; far: distance of
    // the farthest corner from the middle
    matrix(far) {
      const [right, top, back] = axes();
      const { distance, perspective, target } = state;
      const reach = far + norm(plus(target, middle, -1));
      const near = perspective ? Math.max(distance - reach, distance * 1e-3) : distance - reach;
      const end = distance + reach;
      const size = fieldOfView * (perspective ? 1 : distance);
      const rows = perspective
        ? [
            [...right.map((v) => v / (size * aspect)), 0],
            [...top.map((v) => v / size), 0],
            [
              ...back.map((v) => (-v * (end + near)) / (end - near)),
              (distance * (end + near) - 2 * end * near) / (end - near),
            ],
            [...back.map((v) => -v), distance],
          ]
        : [
            [...right.map((v) => v / (size * aspect)), 0],
            [...top.map((v) => v / size), 0],
            [
              ...back.map((v) => (-2 * v) / (end - near)),
              (2 * distance - end - near) / (end - near),
            ],
            [0, 0, 0, 1],
          ];
      return Float32Array.from([0, 1, 2, 3].flatMap((k) => rows.map((row) => row[k])));
    },
  };
}

// Turns, moves and zooms a camera by the pointers and keys of a canvas; changed() redraws.
function steerCamera(canvas, camera, changed) {
  const pointers = new Map();
  const reset = () => camera.look(camera.names[0]);
  const half = () => canvas.clientHeight / 2 || 1;

  function gesture(event) {
    const before = pointers.get(event.pointerId);
    const [x, y] = [event.clientX, event.clientY];
    if (!before) return;
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
    const [dx, dy] = [(x - before.x) / half(), (y - before.y) / half()];
    if (others.length > 0) {
      const spread = (p) => Math.hypot(p.x - others[0].x, p.y - others[0].y) || 1;
      camera.zoom(spread(before) / spread({ x, y }));
      camera.move(dx / 2, -dy / 2);
    } else if (before.moves) camera.move(dx, -dy);
    else camera.turn(1.6 * dx, 1.6 * dy);
    Object.assign(before, { x, y });
    changed();
  }

  canvas.addEventListener("pointerdown", (event) => {
    const moves = event.button !== 0 || event.shiftKey || event.ctrlKey;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, moves });
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", gesture);
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  // the wheel scrolls the page until the picture has the focus
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
      camera.zoom(Math.exp(0.0015 * Math.max(-400, Math.min(400, pixels))));
      changed();
    },
    { passive: false },
  );
  canvas.addEventListener("dblclick", () => {
    reset();
    changed();
  });
  const step = 0.1;
  const keys = {
    ArrowLeft: (moves) => (moves ? camera.move(-step, 0) : camera.turn(-step, 0)),
    ArrowRight: (moves) => (moves ? camera.move(step, 0) : camera.turn(step, 0)),
    ArrowUp: (moves) => (moves ? camera.move(0, step) : camera.turn(0, -step)),
    ArrowDown: (moves) => (moves ? camera.move(0, -step) : camera.turn(0, step)),
    "+": () => camera.zoom(0.9),
    "=": () => camera.zoom(0.9),
    "-": () => camera.zoom(1 / 0.9),
    0: reset,
  };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event.shiftKey);
    changed();
  });
}
