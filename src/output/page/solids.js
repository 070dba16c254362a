// Solids and lines in space by WebGL: instances of three meshes, and segments of constant width on
// the screen with round ends, of which those of length 0 are points.

const solidVertex = `#version 300 es
in vec3 position, normal;
in vec2 rim;
in vec3 at, size, colour;
in vec4 turn;
uniform mat4 view;
out vec3 outward, tint;
out vec2 edge;
vec3 rotated(vec3 v) { return v + 2.0*cross(turn.yzw, cross(turn.yzw, v) + turn.x*v); }
void main() {
  outward = rotated(normal/size);
  tint = colour;
  edge = rim;
  gl_Position = view*vec4(at + rotated(position*size), 1.0);
}`;

const solidFragment = `#version 300 es
precision highp float;
in vec3 outward, tint;
in vec2 edge;
uniform vec3 light, edges;
uniform float alpha;
out vec4 pixel;
void main() {
  vec2 width = fwidth(edge);
  vec2 near = smoothstep(1.0 - 1.6*width, 1.0 - 0.6*width, abs(edge));
  float lit = 0.5 + 0.5*dot(normalize(outward), light);
  vec3 shaded = tint*(0.42 + 0.68*lit) + 0.06*pow(lit, 12.0);
  pixel = vec4(mix(shaded, edges, 0.55*max(near.x, near.y))*alpha, alpha);
}`;

const lineVertex = `#version 300 es
in vec2 corner;
in vec3 from, to, colour;
in float width;
uniform mat4 view;
uniform vec2 screen;
uniform float nearer;
out vec3 place;
out vec3 tint;
flat out vec2 extent;
void main() {
  vec4 p = view*vec4(from, 1.0), q = view*vec4(to, 1.0);
  float dp = p.z + p.w, dq = q.z + q.w;
  if (dp < 0.0 && dq < 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (dp < 0.0) p = mix(p, q, 1.001*dp/(dp - dq));
  else if (dq < 0.0) q = mix(q, p, 1.001*dq/(dq - dp));
  vec2 a = p.xy/p.w*screen, b = q.xy/q.w*screen;
  float len = distance(a, b);
  vec2 along = len > 1e-4 ? (b - a)/len : vec2(1.0, 0.0);
  float r = 0.5*width + 1.0;
  vec4 end = corner.x < 0.0 ? p : q;
  vec2 at = end.xy/end.w*screen + r*(corner.x*along + corner.y*vec2(-along.y, along.x));
  place = vec3(corner.x < 0.0 ? -r : len + r, corner.y*r, 1.0)*end.w; // linear on the screen
  extent = vec2(len, 0.5*width);
  tint = colour;
  gl_Position = vec4(at/screen*end.w, end.z - nearer*end.w, end.w);
}`;

const lineFragment = `#version 300 es
precision highp float;
in vec3 place, tint;
flat in vec2 extent;
uniform float alpha;
out vec4 pixel;
void main() {
  vec2 at = place.xy/place.z;
  float away = length(vec2(at.x - clamp(at.x, 0.0, extent.x), at.y));
  float cover = alpha*clamp(extent.y + 0.5 - away, 0.0, 1.0);
  if (cover < 0.02) discard;
  pixel = vec4(tint*cover, cover);
}`;

// Meshes: position, normal and rim by vertex. Edges are drawn where a component of rim is 1 or -1.
function boxMesh() {
  const vertices = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const corner = (u, v) => {
        const position = [0, 0, 0];
        const normal = [0, 0, 0];
        position[axis] = side / 2;
        position[(axis + 1) % 3] = u / 2;
        position[(axis + 2) % 3] = (side * v) / 2;
        normal[axis] = side;
        return [...position, ...normal, u, v];
      };
      const [a, b, c, d] = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
      vertices.push(a, b, c, a, c, d);
    }
  }
  return vertices.flat();
}

// of radius 1 and length 1
function cylinderMesh(sides) {
  const vertices = [];
  const at = (i) => [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides)];
  for (let i = 0; i < sides; i++) {
    const wall = (k, z) => [...at(k), z / 2, ...at(k), 0, 0, z];
    const [a, b, c, d] = [wall(i, -1), wall(i + 1, -1), wall(i + 1, 1), wall(i, 1)];
    vertices.push(a, b, c, a, c, d);
    for (const z of [-1, 1]) {
      const cap = (k) => [...at(k), z / 2, 0, 0, z, 1, 0];
      const middle = [0, 0, z / 2, 0, 0, z, 0, 0];
      vertices.push(...(z > 0 ? [middle, cap(i), cap(i + 1)] : [middle, cap(i + 1), cap(i)]));
    }
  }
  return vertices.flat();
}

// of radius 1
function sphereMesh(sides) {
  const vertices = [];
  const rings = sides / 2;
  const point = (i, k) => {
    const [a, b] = [(2 * Math.PI * i) / sides, (Math.PI * k) / rings];
    const p = [Math.sin(b) * Math.cos(a), Math.sin(b) * Math.sin(a), -Math.cos(b)];
    return [...p, ...p, 0, 0];
  };
  for (let i = 0; i < sides; i++) {
    for (let k = 0; k < rings; k++) {
      const [a, b, c, d] = [point(i, k), point(i + 1, k), point(i + 1, k + 1), point(i, k + 1)];
      if (k > 0) vertices.push(a, b, c);
      if (k < rings - 1) vertices.push(a, c, d);
    }
  }
  return vertices.flat();
}

function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, text] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(gl.getProgramInfoLog(program));
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
  const uniforms = {};
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}

// A vertex array: attributes of a mesh, and of instances, as [name, components] in their order.
function makeArray(gl, program, mesh, meshParts, instanceParts) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const bind = (parts, divisor) => {
    const buffer = gl.createBuffer();
    const stride = parts.reduce((sum, [, n]) => sum + n, 0);
    let offset = 0;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const [name, components] of parts) {
      const location = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, components, gl.FLOAT, false, 4 * stride, 4 * offset);
      gl.vertexAttribDivisor(location, divisor);
      offset += components;
    }
    return { buffer, stride };
  };
  const { stride } = bind(meshParts, 0);
  gl.bufferData(gl.ARRAY_BUFFER, Float32Array.from(mesh), gl.STATIC_DRAW);
  const instances = bind(instanceParts, 1);
  return { array, vertices: mesh.length / stride, buffer: instances.buffer, stride: instances.stride };
}

const solidParts = [
  ["at", 3],
  ["turn", 4],
  ["size", 3],
  ["colour", 3],
];
const lineParts = [
  ["from", 3],
  ["to", 3],
  ["colour", 3],
  ["width", 1],
];

// A renderer on a canvas of its own, or null without WebGL 2. render(scene) draws: { width, height,
// ratio (pixels of the screen in one of the page), view, light, edges, layers }, with layers of { kind: "box", "cylinder", "sphere" or "line", data,
// count, alpha, nearer, hidden }; hidden: what is behind others shows, with this opacity.
function makeRenderer(sides) {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { antialias: true, premultipliedAlpha: true });
  if (!gl) return null;
  const quad = [-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1];
  let made = null;
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    made = null;
  });

  function prepare() {
    const solid = makeProgram(gl, solidVertex, solidFragment);
    const line = makeProgram(gl, lineVertex, lineFragment);
    const of = (program, mesh, meshParts, parts) =>
      Object.assign(makeArray(gl, program.program, mesh, meshParts, parts), program);
    const mesh = [
      ["position", 3],
      ["normal", 3],
      ["rim", 2],
    ];
    return {
      box: of(solid, boxMesh(), mesh, solidParts),
      cylinder: of(solid, cylinderMesh(sides), mesh, solidParts),
      sphere: of(solid, sphereMesh(sides), mesh, solidParts),
      line: of(line, quad, [["corner", 2]], lineParts),
    };
  }

  function drawLayer({ kind, data, count, alpha = 1, nearer = 0 }, scene) {
    const { array, program, uniforms, vertices, buffer } = made[kind];
    if (count === 0) return;
    gl.useProgram(program);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.uniformMatrix4fv(uniforms.view, false, scene.view);
    gl.uniform1f(uniforms.alpha, alpha);
    if (kind === "line") {
      gl.uniform2f(uniforms.screen, scene.width / scene.ratio / 2, scene.height / scene.ratio / 2);
      gl.uniform1f(uniforms.nearer, nearer);
    } else {
      gl.uniform3fv(uniforms.light, scene.light);
      gl.uniform3fv(uniforms.edges, scene.edges);
    }
    gl.drawArraysInstanced(gl.TRIANGLES, 0, vertices, count);
  }

  return {
    canvas,
    isLost: () => gl.isContextLost(),
    onRestored: (redraw) => canvas.addEventListener("webglcontextrestored", redraw),
    render(scene) {
      if (gl.isContextLost()) return;
      made ??= prepare();
      if (canvas.width !== scene.width) canvas.width = scene.width;
      if (canvas.height !== scene.height) canvas.height = scene.height;
      gl.viewport(0, 0, scene.width, scene.height);
      gl.clearColor(0, 0, 0, 0);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      for (const layer of scene.layers) {
        gl.depthFunc(gl.LEQUAL);
        // soft edges of lines and what is transparent hide nothing
        gl.depthMask(layer.kind !== "line" && !layer.alpha);
        drawLayer(layer, scene);
        if (!layer.hidden) continue;
        gl.depthFunc(gl.GREATER);
        gl.depthMask(false);
        drawLayer({ ...layer, alpha: layer.hidden }, scene);
      }
    },
  };
}
