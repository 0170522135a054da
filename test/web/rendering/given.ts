/** What tests of rendered pages share, and pages rendered some at a time. */
import type { Renderer } from '../../../contracts/rendering.ts';
import { Archive, renderWhole, type Rendered } from './rounds.ts';
import type { RenderingPage } from './server.ts';

const lanes = 2;

/** By the name of their kind. Each page has an archive of its own, which is empty at first. */
export async function renderAll(
  renderer: Renderer,
  pages: readonly RenderingPage[],
): Promise<ReadonlyMap<string, Rendered>> {
  const rendered = new Map<string, Rendered>();
  await inLanes(pages, async ({ kind, url }) => {
    rendered.set(kind.name, await renderWhole(renderer, url, new Archive()));
  });
  return rendered;
}

export async function inLanes<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
