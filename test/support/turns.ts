/** Turns of jobs as workers make them, without Temporal. */
import { exportJobs, type ExportTools } from '../../engine/exports/job.ts';
import type { Job, Turn } from '../../engine/jobs/job.ts';
import { reextractionJobs, type ReextractionTools } from '../../engine/reextraction/job.ts';

/** One that nobody interrupts. */
export const turnOf = (id: string, over: Partial<Turn> = {}): Turn => ({
  ...{ id, goOn: () => true, signal: new AbortController().signal, tries: 1 },
  ...over,
});

/** Turns until nothing is left. */
export async function workOut(job: Job, id: string): Promise<unknown> {
  for (;;) {
    const { over, view } = await job.turn(turnOf(id));
    if (over) return view;
  }
}

type OneTurn<Tools> = (
  tools: Tools,
  id: string,
  goOn: () => boolean,
  signal: AbortSignal,
  tries?: number,
) => Promise<unknown>;

/** How far the job is; null: nothing is left to do. */
const turning =
  <Tools>(jobs: (tools: Tools) => Job): OneTurn<Tools> =>
  async (tools, id, goOn, signal, tries = 1) => {
    const { over, view } = await jobs(tools).turn({ id, goOn, signal, tries });
    return over ? null : view;
  };

export const makeExport: OneTurn<ExportTools> = turning(exportJobs);
export const workAtReextraction: OneTurn<ReextractionTools> = turning(reextractionJobs);
