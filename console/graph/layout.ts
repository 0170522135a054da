/**
 * Where the nodes of a graph are drawn: nodes push each other away, edges pull (Fruchterman and Reingold 1991), with
 * what is far away left out by a grid, as they propose. The first places follow a sunflower, so that the same graph
 * looks the same each time.
 */
import type { Graph } from './site.ts';

export interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Distance at which two nodes leave each other alone. */
const apart = 40;
const goldenAngle = Math.PI * (3 - Math.sqrt(5));
/** Nodes of one cell of the grid that each node looks at, at most: a step stays fast where many are at one place. */
const mostNeighbours = 24;

export function firstPlaces(count: number): Places {
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  for (let at = 0; at < count; at++) {
    const [radius, angle] = [apart * Math.sqrt(at), at * goldenAngle];
    x[at] = radius * Math.cos(angle);
    y[at] = radius * Math.sin(angle);
  }
  return { x, y };
}

/** @param heat how far a node may move in this step */
export function step({ nodes, edges }: Pick<Graph, 'nodes' | 'edges'>, { x, y }: Places, heat: number): void {
  const count = nodes.length;
  const [dx, dy] = [new Float64Array(count), new Float64Array(count)];
  const at = (values: Float64Array, index: number): number => values[index] ?? 0;
  const add = (values: Float64Array, index: number, more: number): void => {
    values[index] = at(values, index) + more;
  };
  const cells = new Map<number, number[]>();
  const cellOf = (index: number, right = 0, down = 0): number =>
    (Math.floor(at(x, index) / (2 * apart)) + right) * 65_536 + Math.floor(at(y, index) / (2 * apart)) + down;
  for (let index = 0; index < count; index++) {
    const cell = cells.get(cellOf(index));
    if (cell === undefined) cells.set(cellOf(index), [index]);
    else cell.push(index);
  }
  for (let one = 0; one < count; one++)
    for (let right = -1; right <= 1; right++)
      for (let down = -1; down <= 1; down++)
        for (const other of (cells.get(cellOf(one, right, down)) ?? []).slice(0, mostNeighbours)) {
          if (other === one) continue;
          // Two at one place part in a direction of their own.
          const [gx, gy] = [at(x, one) - at(x, other) || (one - other) * 0.01, at(y, one) - at(y, other)];
          const push = (apart * apart) / Math.max(1, gx * gx + gy * gy);
          add(dx, one, gx * push);
          add(dy, one, gy * push);
        }
  for (const { from, to } of edges) {
    const [gx, gy] = [at(x, to) - at(x, from), at(y, to) - at(y, from)];
    const pull = Math.hypot(gx, gy) / apart / 8;
    add(dx, from, gx * pull);
    add(dy, from, gy * pull);
    add(dx, to, -gx * pull);
    add(dy, to, -gy * pull);
  }
  for (let index = 0; index < count; index++) {
    // A weak pull to the middle keeps parts together that nothing links.
    const [fx, fy] = [at(dx, index) - at(x, index) * 0.02, at(dy, index) - at(y, index) * 0.02];
    const length = Math.hypot(fx, fy);
    if (length === 0) continue;
    const far = Math.min(length, heat) / length;
    add(x, index, fx * far);
    add(y, index, fy * far);
  }
}
