// The cluster at one moment: nested boxes for domains, a cell for each node, filled by what its GPUs are used for.

class Cluster {
  constructor(canvas, pointed) {
    this.canvas = canvas;
    this.pointed = pointed;
    this.chosen = -1;
    this.leaves = DATA.layout.boxes.filter((box) => box[8] > 0);
    canvas.style.maxWidth = `${DATA.layout.width * (DATA.layout.cards ? 1.5 : 1.15)}px`;
    canvas.addEventListener("mousemove", (event) => this.choose(this.nodeAt(event)));
    canvas.addEventListener("mouseleave", () => this.choose(-1));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  // Return where a node's cell is: x, y and the box it stands in.
  place(node) {
    const { cell } = DATA.layout;
    const box = this.boxOf(node);
    const [x, y, , , depth, , first, nodes, columns] = box;
    const index = node - first;
    const rows = Math.ceil(nodes / columns);
    const [column, row] = cell.name ? [Math.floor(index / rows), index % rows] : [index % columns, Math.floor(index / columns)];
    const [left, top] = depth ? [cell.pad, cell.header] : [0, 0];
    return [x + left + column * (cell.name + cell.bar + cell.gap), y + top + row * (cell.height + cell.gap), box];
  }

  boxOf(node) {
    let low = 0;
    let high = this.leaves.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.leaves[middle][6] <= node) low = middle;
      else high = middle - 1;
    }
    return this.leaves[low];
  }

  nodeAt(event) {
    const { cell } = DATA.layout;
    const frame = this.canvas.getBoundingClientRect();
    const scale = DATA.layout.width / frame.width;
    const px = (event.clientX - frame.left) * scale;
    const py = (event.clientY - frame.top) * scale;
    for (const [x, y, width, height, depth, , first, nodes, columns] of this.leaves) {
      if (px < x || py < y || px > x + width || py > y + height) continue;
      const column = Math.floor((px - x - (depth ? cell.pad : 0)) / (cell.name + cell.bar + cell.gap));
      const row = Math.floor((py - y - (depth ? cell.header : 0)) / (cell.height + cell.gap));
      const rows = Math.ceil(nodes / columns);
      if (column < 0 || row < 0 || column >= columns || row >= rows) return -1;
      const index = cell.name ? column * rows + row : row * columns + column;
      return index < nodes ? first + index : -1;
    }
    return -1;
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }[event.key];
    if (event.key === "Escape") this.choose(-1);
    if (!step) return;
    event.preventDefault();
    this.choose(Math.min(Math.max(this.chosen < 0 ? 0 : this.chosen + step, 0), DATA.nodes.count - 1));
  }

  choose(node) {
    if (node === this.chosen) return;
    this.chosen = node;
    this.draw();
    this.pointed.textContent = node < 0 ? "" : this.describe(node);
  }

  describe(node) {
    const value = VIEW.cells()[node];
    const box = this.boxOf(node);
    const name = NAMES[node] ?? `node ${node - box[6] + 1}`;
    const where = `${name}${box[5] ? ` in ${box[5]}` : ""}, ${gpusText(CARDS[node])}`;
    const tenants = VIEW.tenants().get(node) ?? [];
    if (!tenants.length) return `${where}: ${["free", "out of order"][value] ?? "in use by smaller workloads"}`;
    return `${where}: ${tenants.map(({ stint, gpus }) => `${JOBS.names[stint.job]} (${gpusText(gpus)}, ${DATA.spreads[stint.spread]})`).join(", ")}`;
  }

  draw() {
    const { layout } = DATA;
    const context = fitCanvas(this.canvas, layout.width, layout.height);
    this.spreads = spreadColours();
    this.paint = Object.fromEntries(["free", "free-edge", "out", "out-edge", "kept", "box", "inner", "edge", "ink", "muted", "focus"].map((name) => [name, styleColour(`--${name}`)]));
    for (const box of layout.boxes) if (box[4]) this.drawBox(context, box);
    const cells = VIEW.cells();
    const tenants = VIEW.tenants();
    for (const [x, y, , , depth, , first, nodes, columns] of this.leaves) {
      const rows = Math.ceil(nodes / columns);
      const { cell } = layout;
      for (let index = 0; index < nodes; index += 1) {
        const [column, row] = cell.name ? [Math.floor(index / rows), index % rows] : [index % columns, Math.floor(index / columns)];
        const left = x + (depth ? cell.pad : 0) + column * (cell.name + cell.bar + cell.gap);
        const top = y + (depth ? cell.header : 0) + row * (cell.height + cell.gap);
        this.drawNode(context, first + index, left, top, cells[first + index], tenants.get(first + index));
      }
    }
    if (this.chosen >= 0) this.mark(context);
  }

  drawBox(context, [x, y, width, height, depth, label]) {
    const { cell } = DATA.layout;
    context.fillStyle = depth % 2 ? this.paint.box : this.paint.inner;
    context.strokeStyle = this.paint.edge;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, 4);
    context.fill();
    context.stroke();
    context.fillStyle = this.paint.muted;
    context.font = `600 ${cell.title}px system-ui, sans-serif`;
    const room = width - 2 * cell.pad;
    if (context.measureText(label).width <= room) context.fillText(label, x + cell.pad, y + cell.header * 0.72);
    else if (room > 24) context.fillText(`${label.slice(0, Math.max(Math.floor(room / cell.title / 0.62) - 1, 1))}…`, x + cell.pad, y + cell.header * 0.72);
  }

  drawNode(context, node, left, top, value, tenants) {
    const { cell } = DATA.layout;
    if (cell.name) {
      context.fillStyle = this.paint.muted;
      context.font = `${cell.font}px ui-monospace, Menlo, Consolas, monospace`;
      const most = Math.floor((cell.name - 4) / (cell.font * 0.61));
      const name = NAMES[node] ?? `${node + 1}`;
      context.fillText(name.length > most ? `${name.slice(0, most - 1)}…` : name, left, top + cell.height - 3);
    }
    const x = left + cell.name;
    if (value === OUT) return this.drawOut(context, x, top);
    const cards = Math.max(CARDS[node], 1);
    if (DATA.layout.cards) return this.drawCards(context, x, top, cards, tenants ?? []);
    if (value === FREE) return this.cellRect(context, x, top, cell.bar, cell.height, "");
    if (!tenants || cell.bar < 20) {
      const partly = isPartly(value);
      const colour = tenants ? this.colourOf(this.largest(tenants)) : VIEW.mode === "job" ? this.paint.kept : this.spreads[spreadOf(value)];
      if (partly) this.cellRect(context, x, top, cell.bar, cell.height, "");
      context.fillStyle = colour;
      context.fillRect(x, partly ? top + cell.height / 2 : top, cell.bar, partly ? cell.height / 2 : cell.height);
      if (spreadOf(value) === this.spreads.length - 1 && this.spreads.length > 2 && cell.bar >= 9) this.slash(context, x, top);
      return undefined;
    }
    this.cellRect(context, x, top, cell.bar, cell.height, "");
    let at = 0;
    for (const { stint, gpus } of tenants) {
      const width = Math.max((cell.bar * gpus) / cards, 1);
      context.fillStyle = this.colourOf(stint);
      context.fillRect(x + at, top, Math.min(width, cell.bar - at) - 0.5, cell.height);
      at += width;
    }
    return undefined;
  }

  largest(tenants) {
    return tenants.reduce((best, one) => (one.gpus > best.gpus ? one : best)).stint;
  }

  colourOf(stint) {
    return VIEW.mode === "job" ? jobColour(stint.job) : this.spreads[stint.spread];
  }

  cellRect(context, x, y, width, height, fill) {
    context.fillStyle = fill || this.paint.free;
    context.fillRect(x, y, width, height);
    context.strokeStyle = this.paint["free-edge"];
    context.lineWidth = 1;
    if (width > 3) context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  }

  drawCards(context, x, top, cards, tenants) {
    const { cell } = DATA.layout;
    const step = cell.bar / cards;
    for (let card = 0; card < cards; card += 1) this.cellRect(context, x + card * step, top, step - 1, cell.height, "");
    let at = 0;
    for (const { stint, gpus } of tenants) {
      const colour = this.colourOf(stint);
      let left = gpus;
      const first = at;
      while (left > 1e-9 && at < cards) {
        const part = Math.min(left, Math.floor(at + 1 + 1e-9) - at, cards - at);
        context.fillStyle = colour;
        const inset = at - Math.floor(at + 1e-9);
        context.fillRect(x + Math.floor(at + 1e-9) * step + inset * (step - 1), top, Math.max(part * (step - 1), 1), cell.height);
        at += part;
        left -= part;
      }
      const mark = letters(stint.job);
      context.font = `600 ${cell.font}px system-ui, sans-serif`;
      if (context.measureText(mark).width < step * Math.max(gpus, 1) - 3) {
        context.fillStyle = inkOn(colour);
        context.fillText(mark, x + first * step + 3, top + cell.height - 3);
      }
    }
  }

  drawOut(context, x, top) {
    const { cell } = DATA.layout;
    this.cellRect(context, x, top, cell.bar, cell.height, this.paint.out);
    context.strokeStyle = this.paint["out-edge"];
    context.lineWidth = cell.height > 8 ? 1.5 : 1;
    context.beginPath();
    context.moveTo(x + 1, top + cell.height - 1);
    context.lineTo(x + cell.bar - 1, top + 1);
    context.stroke();
  }

  slash(context, x, top) {
    const { cell } = DATA.layout;
    context.strokeStyle = "rgba(0,0,0,.4)";
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x + 1.5, top + cell.height - 1.5);
    context.lineTo(x + cell.bar - 1.5, top + 1.5);
    context.stroke();
  }

  mark(context) {
    const { cell } = DATA.layout;
    const [x, y] = this.place(this.chosen);
    context.strokeStyle = this.paint.focus;
    context.lineWidth = 2.5;
    context.strokeRect(x + cell.name - 2, y - 2, cell.bar + 4, cell.height + 4);
  }
}
