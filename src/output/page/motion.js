// Motions in the plane.

// A zigzag between two points, in pixels.
function zigzag([[ax, ay], [bx, by]], { size }, x, turns = 8) {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const width = size ? Math.abs(x.toPixel(size[0]) - x.toPixel(0)) : 14;
  const [nx, ny] = [((ay - by) / length) * (width / 2), ((bx - ax) / length) * (width / 2)];
  const inner = Array.from({ length: 2 * turns }, (_, i) => {
    const part = (i + 0.5) / (2 * turns);
    const side = i % 2 === 0 ? 1 : -1;
    return [ax + part * (bx - ax) + side * nx, ay + part * (by - ay) + side * ny];
  });
  return [[ax, ay], ...inner, [bx, by]];
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
  if (shape.kind === "line" || shape.kind === "spring") {
    const path = shape.kind === "line" ? pixels : zigzag(pixels, shape, x);
    for (const [lx, ly] of path) context.lineTo(lx, ly);
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

function startPlaneMotion(figure, motion) {
  const frames = makeFrames(motion);
  const traced = tracedOf(motion.shapes);
  const [xs, ys] = motion.scales.map((range) => padded(range));
  const labels = motion.shapes.map((shape) => shape.label).filter(Boolean);
  const canvas = make("canvas", {
    role: "img",
    tabindex: 0,
    "aria-label": ["Motion", ...labels].join(" "),
  });
  const host = make("div", { class: "canvas" }, canvas);
  const player = makePlayer(frames, draw);
  figure.prepend(host, player.controls.element);

  function draw(moment, controls) {
    const width = host.clientWidth;
    if (width === 0) return;
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
    for (const s of motion.shapes) drawShape(context, s, values, x, y, colours);
  }

  canvas.addEventListener("click", player.toggle);
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    player.toggle();
  });
  new ResizeObserver(player.redraw).observe(host);
  onTheme(player.redraw);
}

function startMotion(figure) {
  const motion = descriptionOf(figure);
  (motion.camera ? startSpaceMotion : startPlaneMotion)(figure, motion);
}
