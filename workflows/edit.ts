/**
 * Judges the frontier of a crawl by edited settings (G6), in many calls, so that people see the progress. The progress
 * is stored with the version, so that a crash repeats at most one batch. The next call takes up an edit that comes
 * meanwhile. If cancelled, the workflow ends in order, and the patrol starts it again for the rest.
 */
import { counted } from '../domain/counted.ts';
import { continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { EditProgress } from '../contracts/activities.ts';
import { editedSignal, editStateQuery, type EditWorkflowInput } from '../contracts/workflows.ts';
import { applyEdit } from './calls.ts';
import { orCancelled } from './cancelling.ts';

export async function edit({ crawlId }: EditWorkflowInput): Promise<EditProgress | null> {
  let progress: EditProgress | null = null;
  let edited = true;
  setHandler(
    editedSignal,
    () => {
      edited = true;
    },
    { description: 'Says that the settings of the crawl were changed: apply them to its frontier.' },
  );
  setHandler(editStateQuery, () => progress, { description: 'How far the edit has been applied.' });
  do {
    edited = false;
    do {
      progress = await orCancelled(applyEdit({ crawlId }));
      setCurrentDetails(`### Settings of crawl ${crawlId}\n\n${progressSentence(progress)}`);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof edit>({ crawlId });
    } while (progress.more);
  } while (wasEdited());
  return progress;

  /** Read through a call, since the handler changes `edited` while the loop waits. */
  function wasEdited(): boolean {
    return edited;
  }
}

function progressSentence({ version, state, ...counts }: EditProgress): string {
  const { judged, excluded, readmitted, reread, admitted } = counts;
  const urls = `${counted(judged, 'URL')} looked at, ${String(excluded)} excluded, ${String(readmitted)} queued again`;
  const pages =
    reread === 0 ? '' : `; ${counted(reread, 'page')} read again, ${counted(admitted, 'URL')} found`;
  return `Version ${String(version)} is ${state}: ${urls}${pages}`;
}
