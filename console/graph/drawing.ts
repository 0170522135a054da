/** Draws a graph on a canvas that can be moved and zoomed, by mouse, fingers and keys. */
import { colourIn } from '../parts/colour.ts';
import { firstPlaces, step, type Places } from './layout.ts';
import type { Graph } from './site.ts';

/** Milliseconds of a frame that may go into finding places. */
const budgetMs = 8;
const [firstHeat, coldest] = [40, 0.5];
const namesShown = 40;

export class Drawing {
  readonly #canvas: HTMLCanvasElement;
  readonly #told: (name: string | null) => void;
  #graph: Graph = { nodes: [], edges: [], pages: 0, isWhole: false, leftOut: 0 };
  #places: Places = firstPlaces(0);
  #heat = 0;
  #view = { x: 0, y: 0, zoom: 1, isOwn: false };
  #frame = 0;

  /** @param told which node is pointed at */
  constructor(canvas: HTMLCanvasElement, told: (name: string | null) => void) {
    this.#canvas = canvas;
    this.#told = told;
    canvas.addEventListener('wheel', this.#wheel, { passive: false });
    canvas.addEventListener('pointerdown', this.#down);
    canvas.addEventListener('pointermove', this.#move);
    canvas.addEventListener('keydown', this.#key);
  }

  show(graph: Graph): void {
    const before = new Map(
      this.#graph.nodes.map(({ name }, at) => [
        name,
        [this.#places.x[at] ?? 0, this.#places.y[at] ?? 0] as const,
      ]),
    );
    const places = firstPlaces(graph.nodes.length);
    for (const [at, { name }] of graph.nodes.entries()) {
      const known = before.get(name);
      if (known !== undefined) [places.x[at], places.y[at]] = known;
    }
    this.#graph = graph;
    this.#places = places;
    this.#heat = firstHeat;
    this.#ask();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  zoom(factor: number): void {
    this.#view = { ...this.#view, zoom: this.#view.zoom * factor, isOwn: true };
    this.#ask();
  }

  /** The whole graph again. */
  fit(): void {
    this.#view.isOwn = false;
    this.#ask();
  }

  #ask(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(this.#tick);
  }

  readonly #tick = (): void => {
    this.#frame = 0;
    const until = performance.now() + budgetMs;
    while (this.#heat > coldest && performance.now() < until) {
      step(this.#graph, this.#places, this.#heat);
      this.#heat *= 0.97;
    }
    this.#draw();
    if (this.#heat > coldest) this.#ask();
  };

  #draw(): void {
    const canvas = this.#canvas;
    const pen = canvas.getContext('2d');
    if (pen === null) return;
    const [width, height, scale] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
    if (canvas.width !== width * scale || canvas.height !== height * scale) {
      canvas.width = width * scale;
      canvas.height = height * scale;
    }
    const { x, y } = this.#places;
    if (!this.#view.isOwn) {
      const reach = Math.max(60, ...x.map(Math.abs), ...y.map(Math.abs));
      this.#view = { x: 0, y: 0, zoom: (Math.min(width, height) / 2 / reach) * 0.9, isOwn: false };
    }
    const { zoom } = this.#view;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.translate(width / 2 + this.#view.x, height / 2 + this.#view.y);
    pen.strokeStyle = colourIn(canvas, '--line');
    pen.beginPath();
    for (const { from, to } of this.#graph.edges) {
      pen.moveTo((x[from] ?? 0) * zoom, (y[from] ?? 0) * zoom);
      pen.lineTo((x[to] ?? 0) * zoom, (y[to] ?? 0) * zoom);
    }
    pen.stroke();
    const [read, known, ink] = ['--state-done', '--state-queued', '--ink'].map((name) =>
      colourIn(canvas, name),
    );
    for (const [at, node] of this.#graph.nodes.entries()) {
      pen.fillStyle = (node.pages > 0 ? read : known) ?? '';
      pen.beginPath();
      pen.arc((x[at] ?? 0) * zoom, (y[at] ?? 0) * zoom, radiusOf(node), 0, 7);
      pen.fill();
    }
    pen.fillStyle = ink ?? '';
    pen.font = '12px system-ui, sans-serif';
    for (const [at, node] of this.#graph.nodes.slice(0, namesShown).entries())
      pen.fillText(node.name.slice(0, 60), (x[at] ?? 0) * zoom + radiusOf(node) + 3, (y[at] ?? 0) * zoom + 4);
  }

  /** The node at a place of the canvas; null: there is none. */
  #nodeAt(left: number, top: number): string | null {
    const { clientWidth, clientHeight } = this.#canvas;
    const { zoom } = this.#view;
    const [px, py] = [left - clientWidth / 2 - this.#view.x, top - clientHeight / 2 - this.#view.y];
    let best: { name: string; far: number } | null = null;
    for (const [at, node] of this.#graph.nodes.entries()) {
      const far = Math.hypot((this.#places.x[at] ?? 0) * zoom - px, (this.#places.y[at] ?? 0) * zoom - py);
      if (far < radiusOf(node) + 4 && (best === null || far < best.far)) best = { name: node.name, far };
    }
    return best?.name ?? null;
  }

  #shift(x: number, y: number): void {
    this.#view = { ...this.#view, x: this.#view.x + x, y: this.#view.y + y, isOwn: true };
    this.#ask();
  }

  readonly #wheel = (event: WheelEvent): void => {
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  };
  readonly #down = (event: PointerEvent): void => {
    this.#canvas.setPointerCapture(event.pointerId);
  };
  readonly #move = (event: PointerEvent): void => {
    if (event.buttons === 1) this.#shift(event.movementX, event.movementY);
    else this.#told(this.#nodeAt(event.offsetX, event.offsetY));
  };
  readonly #key = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => {
        this.#shift(40, 0);
      },
      ArrowRight: () => {
        this.#shift(-40, 0);
      },
      ArrowUp: () => {
        this.#shift(0, 40);
      },
      ArrowDown: () => {
        this.#shift(0, -40);
      },
      '+': () => {
        this.zoom(1.3);
      },
      '-': () => {
        this.zoom(1 / 1.3);
      },
      0: () => {
        this.fit();
      },
    };
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
}

const radiusOf = ({ pages, linksIn }: { readonly pages: number; readonly linksIn: number }): number =>
  2 + Math.min(12, Math.log2(1 + pages + linksIn));
