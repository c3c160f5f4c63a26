// One state for the whole page (which policy, which moment, which colours), and the controls that change it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const JOBS = DATA.jobs;
const RUNS = DATA.runs;
const NAMES = DATA.nodes.names ? expandNames(DATA.nodes.names) : [];
const CARDS = DATA.nodes.cards.flatMap(([nodes, cards]) => Array(nodes).fill(cards));

const VIEW = {
  run: 0,
  moment: 0,
  mode: "spread",
  kept: RUNS.map(() => ({})),

  time() {
    return this.moment * DATA.step;
  },
  framesOf(run) {
    return (this.kept[run].frames ??= readFrames(RUNS[run].cells, DATA.nodes.count, DATA.moments));
  },
  stintsOf(run) {
    return (this.kept[run].stints ??= readStints(RUNS[run].stints));
  },
  cells() {
    return this.framesOf(this.run)[this.moment];
  },
  stintsByJob() {
    const found = JOBS.names.map(() => []);
    for (const stint of this.stintsOf(this.run)) found[stint.job].push(stint);
    return found;
  },
  here() {
    const time = this.time();
    return this.stintsOf(this.run).filter((one) => one.start <= time && time < one.end);
  },
  // Return who is on each node at this moment, as far as workloads are told one by one.
  tenants() {
    const key = `${this.run}/${this.moment}`;
    if (this.tenantsKey !== key) {
      this.tenantsKey = key;
      this.tenantsMap = new Map();
      for (const stint of this.here()) {
        for (const { first, length, gpus } of stint.runs) {
          for (let node = first; node < first + length; node += 1) {
            if (!this.tenantsMap.has(node)) this.tenantsMap.set(node, []);
            this.tenantsMap.get(node).push({ stint, gpus });
          }
        }
      }
    }
    return this.tenantsMap;
  },
  // Return the workload with most GPUs on each node at each moment, -1 where none is known.
  jobFramesOf(run) {
    if (this.kept[run].jobs) return this.kept[run].jobs;
    const { count } = DATA.nodes;
    const jobs = new Int32Array(count * DATA.moments).fill(-1);
    const most = new Float32Array(count * DATA.moments);
    for (const { job, start, end, runs } of this.stintsOf(run)) {
      for (let moment = Math.ceil(start / DATA.step); moment < DATA.moments && moment * DATA.step < end; moment += 1) {
        for (const { first, length, gpus } of runs) {
          for (let at = moment * count + first; at < moment * count + first + length; at += 1) {
            if (gpus > most[at]) [most[at], jobs[at]] = [gpus, job];
          }
        }
      }
    }
    return (this.kept[run].jobs = jobs);
  },
  goTo(moment) {
    this.moment = Math.min(Math.max(moment, 0), DATA.moments - 1);
    showMoment();
  },
};

const find = (id) => document.getElementById(id);
const slider = find("moment");
slider.max = DATA.moments - 1;
const cluster = new Cluster(find("cluster"), find("pointed"));
const timeline = new Timeline(find("timeline"));
const gantt = new Gantt(find("gantt"), find("search"), find("order"), find("count"));

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function within(spread) {
  if (spread === "one node") return "on one node";
  return spread.startsWith("several") ? `across ${spread}` : `inside ${spread}`;
}

function facts() {
  const run = RUNS[VIEW.run];
  if (VIEW.time() >= run.end) return `${run.policy}: nothing happens any more`;
  const whole = CARDS.reduce((sum, cards) => sum + cards, 0);
  const cells = VIEW.cells();
  const wide = new Array(DATA.spreads.length).fill(0);
  for (const value of cells) if (value >= FIRST_SPREAD) wide[spreadOf(value)] += 1;
  const used = wide.map((nodes, spread) => (nodes ? `${nodes} with work ${within(DATA.spreads[spread])}` : "")).filter(Boolean);
  const out = cells.reduce((sum, value) => sum + (value === OUT), 0);
  const parts = [`${run.held[VIEW.moment]} of ${plural(whole, "GPU")} held`, `${plural(run.running[VIEW.moment], "workload")} ${run.running[VIEW.moment] === 1 ? "runs" : "run"}`, `${run.waiting[VIEW.moment]} ${run.waiting[VIEW.moment] === 1 ? "waits" : "wait"}`];
  if (out) parts.push(`${plural(out, "node")} out of order`);
  return `${run.policy}: ${parts.join(", ")}.${used.length ? ` Nodes in use: ${used.join(", ")}.` : ""}`;
}

function showMoment() {
  slider.value = VIEW.moment;
  const time = spanText(VIEW.time());
  find("time").textContent = time;
  const text = facts();
  slider.setAttribute("aria-valuetext", `${time}. ${text}`);
  find("facts").textContent = text;
  cluster.draw();
  if (cluster.chosen >= 0) cluster.pointed.textContent = cluster.describe(cluster.chosen);
  find("cluster").setAttribute("aria-label", `The cluster at ${time} under ${text}`);
  timeline.draw();
  if (gantt.now) gantt.move();
  showRunning();
}

function showRunning() {
  const here = VIEW.here().sort((a, b) => b.gpus - a.gpus || a.job - b.job);
  const rows = here.slice(0, 8).map((stint) => {
    const row = document.createElement("tr");
    const mark = document.createElement("canvas");
    mark.className = "swatch";
    mark.width = mark.height = 14;
    const context = mark.getContext("2d");
    context.fillStyle = VIEW.mode === "job" ? jobColour(stint.job) : spreadColours()[stint.spread];
    context.fillRect(0, 0, 14, 14);
    const name = document.createElement("th");
    name.scope = "row";
    name.append(mark, ` ${letters(stint.job)} `, JOBS.names[stint.job]);
    row.append(name);
    for (const text of [gpusText(stint.gpus), plural(stint.nodes, "node"), DATA.spreads[stint.spread], spanText(VIEW.time() - stint.start)]) {
      const cell = document.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  });
  find("running").replaceChildren(...rows);
  find("more").textContent = here.length > 8 ? `and ${here.length - 8} smaller ones` : here.length ? "" : "Nothing that is told one by one runs at this moment.";
}

function showRun() {
  for (const block of document.querySelectorAll(".of-policy")) block.hidden = Number(block.dataset.run) !== VIEW.run;
  gantt.draw();
  showMoment();
}

function showSpreads() {
  const colours = spreadColours();
  const items = DATA.spreads.map((name, index) => [colours[index], `work ${within(name)}`]);
  items.push([styleColour("--free"), "free"], [styleColour("--out-edge"), "out of order"]);
  const list = VIEW.mode === "job" ? items.slice(-2) : items;
  find("spreads").replaceChildren(
    ...list.map(([colour, name]) => {
      const item = document.createElement("li");
      const mark = document.createElement("span");
      mark.className = "swatch";
      mark.style.background = colour;
      item.append(mark, name);
      return item;
    }),
  );
}

function redraw() {
  timeline.forget();
  showSpreads();
  showRun();
}

for (const input of document.querySelectorAll('input[name="run"]')) {
  input.addEventListener("change", () => {
    VIEW.run = Number(input.value);
    showRun();
  });
}
for (const input of document.querySelectorAll('input[name="mode"]')) {
  input.addEventListener("change", () => {
    VIEW.mode = input.value;
    redraw();
  });
}
slider.addEventListener("input", () => VIEW.goTo(Number(slider.value)));

let playing = 0;
find("play").addEventListener("click", () => {
  const button = find("play");
  if (playing) {
    clearInterval(playing);
    playing = 0;
  } else {
    if (VIEW.moment >= DATA.moments - 1) VIEW.goTo(0);
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 500 : 90;
    playing = setInterval(() => (VIEW.moment < DATA.moments - 1 ? VIEW.goTo(VIEW.moment + 1) : button.click()), pause);
  }
  button.textContent = playing ? "Pause" : "Play";
});

find("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  redraw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
matchMedia("print").addEventListener("change", redraw);

let resized = 0;
new ResizeObserver(() => {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(showMoment);
}).observe(document.querySelector("main"));

for (const element of document.querySelectorAll(".no-script")) element.hidden = true;
for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;
VIEW.moment = Math.max(RUNS[0].held.indexOf(Math.max(...RUNS[0].held)), 0);
redraw();
