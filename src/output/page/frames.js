// Frames of a motion, interpolated between those in the page, and the controls that play them.

const missing = 65535;
const steps = 65534;

// Frames of a motion, by the time since the first frame. at(passed) returns the values at a time,
// NaN for missing ones: coordinates, radii, Euler parameters.
function makeFrames({ times: timesId, positions: positionsId, roles, scales }) {
  const times = arrayOf(timesId);
  const positions = arrayOf(positionsId);
  const passed = Float64Array.from(times, (t) => Math.abs(t - times[0])); // time may run backwards
  const first = Float64Array.from(roles, (role) => scales[role][0]);
  const width = Float64Array.from(roles, (role) => scales[role][1] - scales[role][0]);
  const now = new Float64Array(roles.length);
  const value = (frame, k) => {
    const step = positions[frame * first.length + k];
    return step === missing ? NaN : first[k] + width[k] * (step / steps);
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
    timeAt(moment) {
      const [a, part] = between(moment);
      return part > 0 ? times[a] + part * (times[a + 1] - times[a]) : times[a];
    },
    of(frame) {
      for (let k = 0; k < now.length; k++) now[k] = value(frame, k);
      return now;
    },
    at(moment) {
      const [a, part] = between(moment);
      for (let k = 0; k < now.length; k++)
        now[k] = part > 0 ? (1 - part) * value(a, k) + part * value(a + 1, k) : value(a, k);
      return now;
    },
  };
}

// The shapes with a trajectory: those with a label, or all if none has a label, lines excepted.
function tracedOf(shapes) {
  const moving = shapes.filter(({ kind }) => kind !== "line" && kind !== "spring");
  const labelled = moving.filter((shape) => shape.label);
  return labelled.length > 0 ? labelled : moving;
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

// Controls that play the frames from time 0 to the end; draw(moment, controls) draws one.
function makePlayer(frames, draw) {
  const controls = makeControls(frames.duration, {
    play: toggle,
    seek,
    redraw: () => seek(moment),
  });
  let moment = 0;
  let stamp = null; // time of the previous animation frame, null: paused

  function seek(to) {
    moment = to;
    draw(moment, controls);
    controls.time.textContent = `t = ${format(Number(frames.timeAt(moment).toPrecision(4)))}`;
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
    let next = moment + (Math.max(0, now - stamp) / 1000) * Number(controls.speed.value);
    stamp = now;
    if (next >= frames.duration) {
      next = controls.loop.checked && frames.duration > 0 ? next % frames.duration : frames.duration;
      if (!controls.loop.checked || frames.duration <= 0) pause();
    }
    controls.scrubber.value = next;
    seek(next);
    requestAnimationFrame(advance);
  }

  return { controls, toggle, redraw: () => seek(moment) };
}
