// Colours come from the style sheet, so that light, dark and print have one place; every colour has a second sign as well.

const FREE = 0;
const OUT = 1;
const FIRST_SPREAD = 2;

// A cell from FIRST_SPREAD on is in use: twice how wide the work lies that is there, and one more where cards are free.
function spreadOf(cell) {
  return (cell - FIRST_SPREAD) >> 1;
}

function isPartly(cell) {
  return cell >= FIRST_SPREAD && cell % 2 === 1;
}

function styleColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// The spreads from near to far: sky, blue, then as many of amber, vermilion and wine as there are wider levels.
function spreadColours() {
  const wide = { 1: ["--s-wide"], 2: ["--s-some", "--s-wide"] };
  const count = DATA.spreads.length;
  const names = ["--s-near", "--s-one"].slice(0, count);
  for (let index = 2; index < count; index += 1) {
    names.push(wide[count - 2]?.[index - 2] ?? ["--s-some", "--s-wide", "--s-far"][Math.min(index - 2, 2)]);
  }
  return names.map(styleColour);
}

const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];

// Twenty-one looks for workloads: seven hues that colour-blind readers tell apart, each in three depths.
function jobColour(job) {
  const hue = HUES[job % 7];
  const depth = Math.floor(job / 7) % 3;
  if (depth === 0) return hue;
  const mixed = [1, 3, 5].map((at) => {
    const part = parseInt(hue.slice(at, at + 2), 16);
    return Math.round(depth === 1 ? part * 0.62 : part + (255 - part) * 0.5);
  });
  return `rgb(${mixed.join(",")})`;
}

function rgbOf(colour) {
  const probe = rgbOf.context ?? (rgbOf.context = document.createElement("canvas").getContext("2d", { willReadFrequently: true }));
  probe.clearRect(0, 0, 1, 1);
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  return probe.getImageData(0, 0, 1, 1).data.slice(0, 3);
}

function inkOn(colour) {
  const [red, green, blue] = rgbOf(colour);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#16191d" : "#ffffff";
}

function letters(index) {
  let text = "";
  for (let n = index + 1; n > 0; n = Math.floor((n - 1) / 26)) text = String.fromCharCode(65 + ((n - 1) % 26)) + text;
  return text;
}

// Return a context in which a picture has this size, as sharp as the screen shows it.
function fitCanvas(canvas, width, height) {
  canvas.style.aspectRatio = `${width} / ${height}`;
  const scale = Math.max(Math.min(window.devicePixelRatio || 1, 2) * ((canvas.clientWidth || width) / width), 1);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
