// Workload by workload: how long it waited, when it ran, how wide it lay, and when it was stopped.

class Gantt {
  constructor(holder, search, order, count) {
    this.holder = holder;
    this.search = search;
    this.order = order;
    this.count = count;
    this.most = 250;
    search.addEventListener("input", () => this.draw());
    order.addEventListener("change", () => this.draw());
  }

  rows() {
    const stints = VIEW.stintsByJob();
    const wanted = this.search.value.trim().toLowerCase();
    const rows = [];
    for (let job = 0; job < JOBS.names.length; job += 1) {
      if (wanted && !JOBS.names[job].toLowerCase().includes(wanted)) continue;
      const own = stints[job];
      const first = own.find((one) => !one.idle);
      const wait = Math.max((first ? first.start : RUNS[VIEW.run].end) - JOBS.submit[job], 0);
      rows.push({ job, own, wait, spread: Math.max(-1, ...own.map((one) => one.spread)), gpus: JOBS.gpus[job] });
    }
    const by = {
      submit: (a, b) => JOBS.submit[a.job] - JOBS.submit[b.job],
      wait: (a, b) => b.wait - a.wait,
      gpus: (a, b) => b.gpus - a.gpus,
      spread: (a, b) => b.spread - a.spread || b.gpus - a.gpus,
    }[this.order.value];
    return rows.sort((a, b) => by(a, b) || a.job - b.job);
  }

  draw() {
    const rows = this.rows();
    const shown = rows.slice(0, this.most);
    this.count.textContent = shown.length < rows.length ? `${shown.length} of ${rows.length} workloads` : `${rows.length} workload${rows.length === 1 ? "" : "s"}`;
    const left = 170;
    const width = 1160;
    const step = 16;
    const top = 20;
    const height = top + Math.max(shown.length, 1) * step + 6;
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    svg.setAttribute("aria-label", `${shown.length} workloads over time under ${RUNS[VIEW.run].policy}`);
    const x = (ticks) => left + (Math.min(ticks, DATA.span) / DATA.span) * (width - left - 8);
    shown.forEach((row, index) => index % 2 || svg.append(shape("rect", { x: 0, y: top + index * step, width, height: step, class: "g-band" })));
    for (const ticks of timeTicks(DATA.span)) {
      svg.append(shape("line", { x1: x(ticks), x2: x(ticks), y1: top - 4, y2: height - 6, class: "g-grid" }));
      svg.append(shape("text", { x: x(ticks), y: 11, class: "g-tick", "text-anchor": ticks ? "middle" : "start" }, spanText(ticks)));
    }
    const colours = spreadColours();
    shown.forEach((row, index) => this.row(svg, row, top + index * step, x, colours));
    this.now = shape("line", { y1: top - 4, y2: height - 6, class: "g-now" });
    this.x = x;
    svg.append(this.now);
    this.holder.replaceChildren(svg);
    this.move();
  }

  move() {
    const at = this.x(VIEW.time());
    this.now.setAttribute("x1", at);
    this.now.setAttribute("x2", at);
  }

  row(svg, { job, own, wait }, y, x, colours) {
    const group = shape("g", {});
    const first = own.find((one) => !one.idle);
    const facts = [`${JOBS.names[job]}: ${gpusText(JOBS.gpus[job] / 1000)}, queue ${JOBS.queues[JOBS.queue[job]]}, submitted at ${spanText(JOBS.submit[job])}`];
    facts.push(first ? `waited ${spanText(wait)}` : `never started, waited ${spanText(wait)}`);
    for (const one of own) facts.push(`${spanText(one.start)}–${spanText(one.end)} on ${one.nodes} node${one.nodes === 1 ? "" : "s"}, ${DATA.spreads[one.spread]}, ${one.idle ? "below its minimum" : one.ending}`);
    group.append(shape("title", {}, facts.join("\n")));
    const name = JOBS.names[job];
    group.append(shape("text", { x: 2, y: y + 12, class: "g-name" }, name.length > 25 ? `${name.slice(0, 24)}…` : name));
    if (wait) group.append(bar(x(JOBS.submit[job]), x(JOBS.submit[job] + wait), y + 6, 4, "g-wait"));
    for (const one of own) {
      const drawn = bar(x(one.start), x(one.end), y + 3, 10, one.idle ? "g-idle" : "");
      if (!one.idle) drawn.setAttribute("fill", VIEW.mode === "job" ? jobColour(job) : colours[one.spread]);
      group.append(drawn);
      if (one.ending === "stopped") group.append(shape("line", { x1: x(one.end), x2: x(one.end), y1: y + 1, y2: y + 15, class: "g-stop" }));
    }
    svg.append(group);
  }
}

function bar(from, to, y, height, css) {
  return shape("rect", { x: from, y, width: Math.max(to - from, 1.2), height, rx: Math.min(2, height / 4), class: css });
}

function shape(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
