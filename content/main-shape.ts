/** Where each container of a page begins and ends, among the containers and among the blocks. */
import type { Block, Container } from './blocks.ts';

export interface Shape {
  /** The number behind the last container in it: they are numbered as they begin. */
  readonly ends: Int32Array;
  /** Its first block; past the last one: it has none. */
  readonly first: Int32Array;
}

export function shapeOf(all: readonly Block[], containers: readonly Container[]): Shape {
  const ends = new Int32Array(containers.length).map((_, at) => at + 1);
  const first = new Int32Array(containers.length).fill(all.length);
  for (let at = all.length - 1; at >= 0; at--) first[all[at]?.container ?? 0] = at;
  for (let at = containers.length - 1; at > 0; at--) {
    const parent = containers[at]?.parent ?? 0;
    ends[parent] = Math.max(ends[parent] ?? 0, ends[at] ?? 0);
    first[parent] = Math.min(first[parent] ?? 0, first[at] ?? 0);
  }
  return { ends, first };
}

/** The containers right in one. */
export function* partsOf(at: number, { ends }: Shape): Generator<number> {
  for (let part = at + 1; part < (ends[at] ?? 0); part = ends[part] ?? part + 1) yield part;
}

export const isWithin = (container: number, at: number, { ends }: Shape): boolean =>
  container >= at && container < (ends[at] ?? 0);

/** Adds to each container what those in it have. */
export function addUp(sums: Float64Array, containers: readonly Container[]): void {
  for (let at = containers.length - 1; at > 0; at--) {
    const parent = containers[at]?.parent ?? 0;
    sums[parent] = (sums[parent] ?? 0) + (sums[at] ?? 0);
  }
}

/** The block that a place in the text lies in: the first that ends behind it. */
export function blockAt(all: readonly Block[], place: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.to ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
