/** What a shape would keep back, without keeping anything back. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { QuarantinePreview } from '../../contracts/http/quarantine.ts';
import { shapesOf } from '../../domain/traps/shape.ts';
import { canonicalize } from '../../domain/url.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { urlsToShape } from '../../storage/traps/index.ts';
import { shapedPart } from './observe.ts';

/** URLs in one step. */
const batch = 5_000;
/** URLs whose shapes are found before the process does other work. */
const atATime = 200;
const examplesShown = 3;

/** All shapes of a URL. */
export function shapesOfUrl(
  url: string,
): { readonly host: string; readonly shapes: readonly string[] } | null {
  const link = canonicalize(url);
  return link.ok ? { host: link.value.host, shapes: shapesOf(shapedPart(link.value)) } : null;
}

/** @param budgetMs after this time it returns what it has counted so far, with `complete` false */
export async function previewShapes(
  pool: Pool,
  crawlId: string,
  host: { readonly id: string; readonly origin: string },
  shapes: readonly string[],
  budgetMs: number,
): Promise<QuarantinePreview> {
  const until = performance.now() + budgetMs;
  const counts = new Map(shapes.map((shape) => [shape, { urls: 0, queued: 0, examples: [] as string[] }]));
  let queued = 0;
  let complete = true;
  for (let after = ''; ;) {
    const rows = await urlsToShape(pool, crawlId, host.id, after, batch);
    for (const [at, row] of rows.entries()) {
      // To find all shapes of thousands of URLs takes a tenth of a second.
      if (at % atATime === atATime - 1) await breathe();
      const link = canonicalize(row.url);
      if (row.seed || !link.ok) continue;
      if (row.queued) queued++;
      for (const shape of shapesOf(shapedPart(link.value))) {
        const count = counts.get(shape);
        if (count === undefined) continue;
        count.urls++;
        if (!row.queued) continue;
        count.queued++;
        if (count.examples.length < examplesShown) count.examples.push(row.url);
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) break;
    after = last.key;
    if (performance.now() > until) {
      complete = false;
      break;
    }
  }
  return {
    host: host.origin,
    shapes: [...counts].map(([shape, count]) => ({
      shape,
      ...count,
      everything: queued > 0 && count.queued === queued,
    })),
    queued,
    complete,
  };
}
