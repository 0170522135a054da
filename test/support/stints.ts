/** Stints of jobs as workers make them, without Temporal. */
import { exportJobs, type ExportTools } from '../../engine/exports/job.ts';
import type { Job, JobCall } from '../../engine/jobs/job.ts';
import { reextractionJobs, type ReextractionTools } from '../../engine/reextraction/job.ts';

/** One that nobody interrupts. */
export const callOf = (id: string, over: Partial<JobCall> = {}): JobCall => ({
  ...{ id, goOn: () => true, signal: new AbortController().signal, tries: 1 },
  ...over,
});

/** Works until nothing is left. */
export async function workOut(job: Job, id: string): Promise<unknown> {
  for (;;) {
    const { over, view } = await job.work(callOf(id));
    if (over) return view;
  }
}

type OneStint<Tools> = (
  tools: Tools,
  id: string,
  goOn: () => boolean,
  signal: AbortSignal,
  tries?: number,
) => Promise<unknown>;

/** How far the job is; null: nothing is left to do. */
const working =
  <Tools>(jobs: (tools: Tools) => Job): OneStint<Tools> =>
  async (tools, id, goOn, signal, tries = 1) => {
    const { over, view } = await jobs(tools).work({ id, goOn, signal, tries });
    return over ? null : view;
  };

export const makeExport: OneStint<ExportTools> = working(exportJobs);
export const workAtReextraction: OneStint<ReextractionTools> = working(reextractionJobs);
