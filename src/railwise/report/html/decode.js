// What the page was given in few bytes, read back: see railwise.report.pack for how it is written.

function bytesOf(text) {
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) found[i] = raw.charCodeAt(i);
  return found;
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let value = 0;
    let scale = 1;
    let next;
    do {
      next = this.bytes[this.at++];
      value += (next & 127) * scale;
      scale *= 128;
    } while (next & 128);
    return value;
  }

  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

// Return a Uint8Array of cells for each moment.
function readFrames(text, nodes, moments) {
  const reader = new Reader(bytesOf(text));
  const frames = [];
  let before = new Uint8Array(nodes);
  for (let moment = 0; moment < moments; moment += 1) {
    const now = before.slice();
    let at = 0;
    for (let runs = reader.number(); runs > 0; runs -= 1) {
      const coded = reader.number();
      const skipped = Math.floor(coded / DATA.kinds);
      const length = skipped % 2 ? reader.number() + 2 : 1;
      at += Math.floor(skipped / 2);
      now.fill(coded % DATA.kinds, at, at + length);
      at += length;
    }
    frames.push(now);
    before = now;
  }
  return frames;
}

const ENDINGS = ["finished", "stopped", "changed", "running"];

function readStints(text) {
  const reader = new Reader(bytesOf(text));
  const found = [];
  let start = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    const job = reader.number();
    start += reader.number();
    const end = start + reader.number();
    const ending = reader.byte();
    const stint = { job, start, end, ending: ENDINGS[ending % 4], idle: ending >= 4, spread: reader.byte(), runs: [], gpus: 0, nodes: 0 };
    let at = 0;
    for (let runs = reader.number(); runs > 0; runs -= 1) {
      at += reader.signed();
      const length = reader.number();
      const coded = reader.number();
      const gpus = coded % 2 ? (coded - 1) / 2000 : coded / 2;
      stint.runs.push({ first: at, length, gpus });
      stint.gpus += gpus * length;
      stint.nodes += length;
      at += length;
    }
    found.push(stint);
  }
  return found;
}

// Return the names of a hostlist as the program folds it: prefix[1-3,07-09], each at the end of a name.
function expandNames(list) {
  const names = [];
  for (const part of list.split(/,(?![^[]*\])/)) {
    const match = /^([^[]*)\[([^\]]*)\]$/.exec(part);
    if (!match) {
      names.push(part);
      continue;
    }
    for (const range of match[2].split(",")) {
      const [low, high] = range.split("-");
      for (let n = Number(low); n <= Number(high ?? low); n += 1) names.push(match[1] + String(n).padStart(low.length, "0"));
    }
  }
  return names;
}

function spanText(ticks) {
  let seconds = Math.round((ticks * DATA.tick) / 1e6);
  const parts = [];
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]]) {
    const n = Math.floor(seconds / size);
    seconds -= n * size;
    if (n) parts.push(n + unit);
  }
  return parts.slice(0, 2).join("") || "0s";
}

function gpusText(gpus) {
  return `${Math.round(gpus * 1000) / 1000} GPU${gpus === 1 ? "" : "s"}`;
}
