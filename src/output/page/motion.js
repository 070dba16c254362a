// Motions: shapes that move in the plane, interpolated between the frames in the page.

const missing = 65535;
const steps = 65534;

// Frames of a motion, by the time since the first frame. at(passed) returns the values at a time: x
// and y of every point and the radius of circles, NaN for missing values.
function makeFrames({ times: timesId, positions: positionsId, shapes, x, y, radius }) {
  const times = arrayOf(timesId);
  const positions = arrayOf(positionsId);
  const passed = Float64Array.from(times, (t) => Math.abs(t - times[0])); // time may run backwards
  const scales = shapes.flatMap(({ kind, points }) => [
    ...Array.from({ length: 2 * points }, (_, k) => (k % 2 === 0 ? x : y)),
    ...(kind === "circle" ? [radius] : []),
  ]);
  const value = (frame, k) => {
    const step = positions[frame * scales.length + k];
    const [first, last] = scales[k];
    return step === missing ? NaN : first + (last - first) * (step / steps);
  };
  // index of the last frame at or before the time
  function frameAt(moment) {
    let [low, high] = [0, passed.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (passed[middle] <= moment) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  // index of the frame, and fraction of the interval to the next frame
  function between(moment) {
    const a = frameAt(moment);
    const gap = passed[a + 1] - passed[a];
    return [a, gap > 0 ? Math.max(0, moment - passed[a]) / gap : 0];
  }
  return {
    count: passed.length,
    duration: passed[passed.length - 1],
    value,
    frameAt,
    passed,
    timeAt(moment) {
      const [a, part] = between(moment);
      return part > 0 ? times[a] + part * (times[a + 1] - times[a]) : times[a];
    },
    at(moment) {
      const [a, part] = between(moment);
      return scales.map((_, k) =>
        part > 0 ? (1 - part) * value(a, k) + part * value(a + 1, k) : value(a, k),
      );
    },
  };
}

// Shapes with the index of their values, and the shapes with a trajectory: points and circles with
// a label, or all points and circles if none has a label.
function placeShapes(shapes) {
  let first = 0;
  const placed = shapes.map((shape) => {
    const at = first;
    first += 2 * shape.points + (shape.kind === "circle" ? 1 : 0);
    return { ...shape, first: at };
  });
  const moving = placed.filter((shape) => shape.kind !== "line");
  const labelled = moving.filter((shape) => shape.label);
  return { placed, traced: labelled.length > 0 ? labelled : moving };
}

function drawShape(context, shape, values, x, y, colours) {
  const pixels = [];
  for (let p = 0; p < shape.points; p++) {
    pixels.push([
      x.toPixel(values[shape.first + 2 * p]),
      y.toPixel(values[shape.first + 2 * p + 1]),
    ]);
  }
  if (pixels.flat().some(Number.isNaN)) return;
  const [px, py] = pixels[0];
  let beside = 6; // distance of the label in pixels
  context.beginPath();
  if (shape.kind === "line") {
    for (const [lx, ly] of pixels) context.lineTo(lx, ly);
    Object.assign(context, {
      strokeStyle: colours.text,
      lineWidth: 2,
      lineCap: "round",
      lineJoin: "round",
    });
    context.stroke();
  } else if (shape.kind === "point") {
    context.arc(px, py, 5, 0, 2 * Math.PI);
    context.fillStyle = colours.accent;
    context.fill();
  } else {
    const radius = Math.abs(x.toPixel(values[shape.first + 2]) - x.toPixel(0));
    if (Number.isNaN(radius)) return;
    beside = radius * Math.SQRT1_2 + 4;
    context.arc(px, py, radius, 0, 2 * Math.PI);
    Object.assign(context, {
      strokeStyle: colours.accent,
      fillStyle: colours.accent,
      lineWidth: 2,
      globalAlpha: 0.15,
    });
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
  }
  if (!shape.label) return;
  const [ex, ey] = pixels[pixels.length - 1];
  Object.assign(context, {
    font: colours.font,
    fillStyle: colours.muted,
    textAlign: "left",
    textBaseline: "bottom",
  });
  context.fillText(shape.label, (px + ex) / 2 + beside, (py + ey) / 2 - beside);
}

// The trajectory of a shape up to a time.
function drawTrail(context, shape, frames, moment, x, y, colour) {
  const now = frames.at(moment);
  context.beginPath();
  let isOn = false;
  const go = (vx, vy) => {
    if (!isFinitePair(vx, vy)) isOn = false;
    else {
      context[isOn ? "lineTo" : "moveTo"](x.toPixel(vx), y.toPixel(vy));
      isOn = true;
    }
  };
  const last = frames.frameAt(moment);
  for (let k = 0; k <= last; k++)
    go(frames.value(k, shape.first), frames.value(k, shape.first + 1));
  go(now[shape.first], now[shape.first + 1]);
  Object.assign(context, { strokeStyle: colour, lineWidth: 1.2 });
  context.stroke();
}

// Playback speed, 1, 2 or 5 times a power of ten: real time for motions of moderate duration, else
// about ten seconds for the whole motion.
function usualSpeed(duration) {
  if (!(duration > 0) || (duration >= 2 && duration <= 60)) return 1;
  const power = 10 ** Math.floor(Math.log10(duration / 10));
  return Number((power * [1, 2, 5].findLast((m) => m * power <= duration / 10)).toPrecision(1));
}

function makeControls(duration, { play, seek, redraw }) {
  const usual = usualSpeed(duration);
  const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10].map((m) => Number((m * usual).toPrecision(1)));
  const button = make("button", { type: "button", class: "play", click: play }, "Play");
  const scrubber = make("input", {
    type: "range",
    min: 0,
    max: duration || 1,
    step: "any",
    value: 0,
    "aria-label": "Time",
    input: () => seek(Number(scrubber.value)),
  });
  const time = make("output");
  const speed = make("select", {}, ...speeds.map((s) => make("option", { value: s }, `${s}×`)));
  speed.value = String(usual);
  const loop = make("input", { type: "checkbox", checked: "" });
  const trails = make("input", { type: "checkbox", change: redraw });
  const element = make(
    "div",
    { class: "controls" },
    button,
    scrubber,
    time,
    make("label", {}, "speed ", speed),
    make("label", {}, loop, " loop"),
    make("label", {}, trails, " trails"),
  );
  return { element, button, scrubber, time, speed, loop, trails };
}

function startMotion(figure) {
  const motion = descriptionOf(figure);
  const frames = makeFrames(motion);
  const { placed, traced } = placeShapes(motion.shapes);
  const labels = motion.shapes.map((shape) => shape.label).filter(Boolean);
  const canvas = make("canvas", {
    role: "img",
    tabindex: 0,
    "aria-label": ["Motion", ...labels].join(" "),
  });
  const host = make("div", { class: "canvas" }, canvas);
  const controls = makeControls(frames.duration, { play: toggle, seek, redraw: draw });
  let moment = 0;
  let stamp = null; // time of the previous animation frame, null: paused
  figure.prepend(host, controls.element);

  function draw() {
    const width = host.clientWidth;
    if (width === 0) return;
    const [xs, ys] = [padded(motion.x), padded(motion.y)];
    const shape = (ys[1] - ys[0]) / (xs[1] - xs[0]);
    const height = Math.round(Math.min(520, Math.max(220, width * shape)));
    const context = fitCanvas(canvas, width, height);
    const area = areaOf(width, height);
    const [xRange, yRange] = equalised(xs, ys, area);
    const x = makeScale(xRange, area.left, area.right);
    const y = makeScale(yRange, area.bottom, area.top);
    const colours = theme();
    drawAxes(context, area, x, y, {});
    if (controls.trails.checked) {
      traced.forEach((s, i) => drawTrail(context, s, frames, moment, x, y, colours.curve(i)));
    }
    const values = frames.at(moment);
    for (const s of placed) drawShape(context, s, values, x, y, colours);
    controls.time.textContent = `t = ${format(Number(frames.timeAt(moment).toPrecision(4)))}`;
  }

  function seek(to) {
    moment = to;
    draw();
  }

  function toggle() {
    if (stamp !== null) return pause();
    if (moment >= frames.duration) moment = 0;
    stamp = performance.now();
    controls.button.textContent = "Pause";
    requestAnimationFrame(advance);
  }

  function pause() {
    stamp = null;
    controls.button.textContent = "Play";
  }

  function advance(now) {
    if (stamp === null) return;
    moment += (Math.max(0, now - stamp) / 1000) * Number(controls.speed.value);
    stamp = now;
    if (moment >= frames.duration) {
      moment =
        controls.loop.checked && frames.duration > 0 ? moment % frames.duration : frames.duration;
      if (!controls.loop.checked || frames.duration <= 0) pause();
    }
    controls.scrubber.value = moment;
    draw();
    requestAnimationFrame(advance);
  }

  canvas.addEventListener("click", toggle);
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    toggle();
  });
  new ResizeObserver(draw).observe(host);
  onTheme(draw);
}
