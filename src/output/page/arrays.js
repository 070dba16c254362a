// Data in the page: arrays of numbers in base64, descriptions of elements in JSON.

const arrayTypes = { f8: Float64Array, f4: Float32Array, u2: Uint16Array };
const decoded = new Map();

// The array with this number, decoded once. Bytes are little-endian, as on all platforms with a
// browser.
function arrayOf(id) {
  if (!decoded.has(id)) {
    const source = document.getElementById(`a${id}`);
    const text = atob(source.textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    decoded.set(id, new arrayTypes[source.dataset.type](bytes.buffer));
  }
  return decoded.get(id);
}

const descriptionOf = (figure) => JSON.parse(figure.querySelector("script").textContent);

// Creates an element with attributes and children; an attribute that is a function is an event
// listener.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// The smallest and largest finite number (where log: positive number) of some arrays, or null.
function rangeOf(arrays, log = false) {
  let low = Infinity;
  let high = -Infinity;
  for (const values of arrays) {
    for (const value of values) {
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}
