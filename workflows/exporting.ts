/**
 * Makes the file of an export, in many calls, so that people see the progress. Postgres holds how far it is: a crash
 * repeats at most one step. Cancelled in Temporal Web, the workflow cancels the export.
 */
import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ExportStep } from '../contracts/activities.ts';
import { exportStateQuery, type ExportWorkflowInput } from '../contracts/workflows.ts';
import { counted } from '../domain/counted.ts';
import { cancelExport, makeExport } from './calls.ts';
import { orCancelled } from './cancelling.ts';

export async function exporting({ exportId }: ExportWorkflowInput): Promise<void> {
  let step: ExportStep | null = null;
  setHandler(exportStateQuery, () => step, { description: 'How far the export is.' });
  try {
    for (;;) {
      step = await orCancelled(makeExport({ exportId }));
      if (step === null) break;
      setCurrentDetails(
        `### Export ${exportId}\n\n${counted(step.pages, 'page')} read, ${counted(step.bytes, 'byte')} written`,
      );
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof exporting>({ exportId });
    }
    setCurrentDetails(`Export ${exportId} has ended; its state is in the API.`);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => cancelExport({ exportId }));
    throw error;
  }
}
