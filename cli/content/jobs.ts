/** Jobs of the stack that belong to a crawl, as exports and re-extractions are: shown, and waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { withApi, type ApiOptions } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { writeOne } from '../output/table.ts';

interface Job {
  readonly id: string;
  readonly crawlId: string;
}

/** What there is to know of a kind of jobs. */
export interface JobKind<T extends Job> {
  /** The path of those of a crawl. */
  readonly pathOf: (crawl: string) => string;
  readonly view: z.ZodType<T>;
  readonly isOver: (job: T) => boolean;
  readonly progressOf: (job: T) => string;
  readonly linesOf: (job: T) => readonly string[];
  readonly exitCodeOf: (job: T) => ExitCode;
}

/** Milliseconds between two looks while a verb waits, and between two lines of progress. */
const lookMs = 500;
const lineMs = 10_000;

export const jobPath = (kind: Pick<JobKind<never>, 'pathOf'>, crawl: string, id: string): string =>
  `${kind.pathOf(crawl)}/${id}`;

export async function showJob<T extends Job>(
  kind: JobKind<T>,
  crawl: string,
  id: string,
  options: ApiOptions & { readonly wait: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const { wait, json } = options;
  return withApi(options, async (api) => {
    const view = await api.get(jobPath(kind, crawl, id), kind.view);
    const last = wait ? await untilOver(kind, api, view, !json) : view;
    writeOne(last, json, () => kind.linesOf(last));
    return wait ? kind.exitCodeOf(last) : exitCodes.ok;
  });
}

/** @param tells says now and then how far the job is */
export async function untilOver<T extends Job>(
  kind: JobKind<T>,
  api: Api,
  begun: T,
  tells: boolean,
): Promise<T> {
  const path = jobPath(kind, begun.crawlId, begun.id);
  let toldAt = performance.now();
  for (let view = begun; ; await sleep(lookMs), view = await api.get(path, kind.view)) {
    if (kind.isOver(view)) return view;
    if (!tells || performance.now() - toldAt < lineMs) continue;
    toldAt = performance.now();
    sayPlainly(kind.progressOf(view));
  }
}
