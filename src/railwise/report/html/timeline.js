// All nodes over all time in one picture: a column is a moment, a row is a node (or a few), in the order of the tree.

class Timeline {
  constructor(canvas) {
    this.canvas = canvas;
    this.left = 92;
    this.bottom = 22;
    this.width = 1160;
    this.plot = Math.max(Math.min(DATA.nodes.count * 14, 420), 90);
    this.height = this.plot + this.bottom;
    this.kept = new Map();
    const point = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const frame = canvas.getBoundingClientRect();
      const x = ((event.clientX - frame.left) * this.width) / frame.width - this.left;
      if (x >= 0) VIEW.goTo(Math.floor((x / (this.width - this.left)) * DATA.moments));
    };
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("pointermove", point);
  }

  forget() {
    this.kept.clear();
  }

  // Return the picture of a run without cursor and axes, as a canvas of one pixel a moment and row.
  image(run) {
    const key = `${run}/${VIEW.mode}`;
    if (this.kept.has(key)) return this.kept.get(key);
    const rows = Math.min(DATA.nodes.count, this.plot);
    const image = document.createElement("canvas");
    image.width = DATA.moments;
    image.height = rows;
    const context = image.getContext("2d");
    const data = context.createImageData(DATA.moments, rows);
    const palette = this.palette();
    const frames = VIEW.framesOf(run);
    const jobs = VIEW.mode === "job" ? VIEW.jobFramesOf(run) : null;
    for (let moment = 0; moment < DATA.moments; moment += 1) {
      for (let row = 0; row < rows; row += 1) {
        const from = Math.floor((row * DATA.nodes.count) / rows);
        const to = Math.max(Math.floor(((row + 1) * DATA.nodes.count) / rows), from + 1);
        const sum = [0, 0, 0];
        for (let node = from; node < to; node += 1) {
          const value = frames[moment][node];
          const colour = palette(value, jobs ? jobs[moment * DATA.nodes.count + node] : -1);
          for (let part = 0; part < 3; part += 1) sum[part] += colour[part];
        }
        const at = 4 * (row * DATA.moments + moment);
        for (let part = 0; part < 3; part += 1) data.data[at + part] = sum[part] / (to - from);
        data.data[at + 3] = 255;
      }
    }
    context.putImageData(data, 0, 0);
    this.kept.set(key, image);
    return image;
  }

  // Return a function from a cell and a workload (-1: unknown) to red, green and blue.
  palette() {
    const spreads = spreadColours().map(rgbOf);
    const [free, out, kept] = ["--free", "--out-edge", "--kept"].map((name) => rgbOf(styleColour(name)));
    const half = (colour) => colour.map((part, index) => (part * 2 + free[index]) / 3);
    const known = new Map();
    return (value, job) => {
      const key = value * 100000 + (VIEW.mode === "job" ? job + 1 : 0);
      if (!known.has(key)) {
        let colour = free;
        if (value === OUT) colour = out;
        else if (value >= FIRST_SPREAD) {
          const full = VIEW.mode === "job" ? (job < 0 ? kept : rgbOf(jobColour(job))) : spreads[spreadOf(value)];
          colour = isPartly(value) ? half([...full]) : full;
        }
        known.set(key, colour);
      }
      return known.get(key);
    };
  }

  draw() {
    const context = fitCanvas(this.canvas, this.width, this.height);
    const wide = this.width - this.left;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.image(VIEW.run), this.left, 0, wide, this.plot);
    context.strokeStyle = styleColour("--edge");
    context.lineWidth = 1;
    context.strokeRect(this.left + 0.5, 0.5, wide - 1, this.plot - 1);
    this.domains(context, wide);
    this.times(context, wide);
    const x = this.left + ((VIEW.moment + 0.5) / DATA.moments) * wide;
    context.strokeStyle = styleColour("--paper");
    context.lineWidth = 4;
    this.stroke(context, x);
    context.strokeStyle = styleColour("--ink");
    context.lineWidth = 1.6;
    this.stroke(context, x);
  }

  stroke(context, x) {
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.plot + 4);
    context.stroke();
  }

  domains(context, wide) {
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillStyle = styleColour("--muted");
    context.strokeStyle = styleColour("--paper");
    let last = -20;
    const depths = DATA.layout.boxes.map((box) => box[4]);
    const shown = [1, 2, 3].find((one) => depths.filter((depth) => depth === one).length > 1) ?? 1;
    for (const [, , , , depth, label, first, nodes] of DATA.layout.boxes) {
      if (depth !== shown) continue;
      const top = (first / DATA.nodes.count) * this.plot;
      const height = (nodes / DATA.nodes.count) * this.plot;
      if (first && height > 5) {
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(this.left, Math.round(top) + 0.5);
        context.lineTo(this.left + wide, Math.round(top) + 0.5);
        context.stroke();
      }
      const middle = top + height / 2;
      if (middle - last < 12) continue;
      last = middle;
      context.fillText(label.length > 14 ? `${label.slice(0, 13)}…` : label, this.left - 8, middle + 4);
    }
    context.textAlign = "left";
  }

  times(context, wide) {
    context.fillStyle = styleColour("--muted");
    context.textAlign = "center";
    const whole = DATA.moments * DATA.step;
    for (const ticks of timeTicks(whole)) {
      const x = this.left + (ticks / whole) * wide;
      context.textAlign = x > this.width - 20 ? "right" : ticks ? "center" : "left";
      context.fillText(spanText(ticks), Math.min(x, this.width - 2), this.plot + 17);
    }
    context.textAlign = "left";
  }
}

// Return about six round times between 0 and a span, in ticks.
function timeTicks(span) {
  const seconds = (span * DATA.tick) / 1e6;
  const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 432000, 864000, 2592000, 7776000];
  const step = (steps.find((one) => seconds <= 7 * one) ?? 31536000) * (1e6 / DATA.tick);
  const found = [];
  for (let at = 0; at <= span && found.length < 60; at += step) found.push(at);
  return found;
}
