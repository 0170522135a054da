/**
 * Works at a re-extraction, in many calls, so that people see the progress. Postgres holds how far it is: a crash repeats
 * at most one step. Cancelled in Temporal Web, the workflow cancels a re-extraction that is being made; of one that has
 * ended the patrol goes on with what is left to do.
 */
import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReextractionStep } from '../contracts/activities.ts';
import { reextractionStateQuery, type ReextractionWorkflowInput } from '../contracts/workflows.ts';
import { counted } from '../domain/counted.ts';
import { cancelReextraction, reextract } from './calls.ts';
import { orCancelled } from './cancelling.ts';

const phases: Readonly<Record<ReextractionStep['phase'], string>> = {
  reading: 'stored bodies are read again',
  telling: 'what follows from pages is told',
  keeping: 'what was found becomes the pages’ own',
  removing: 'what was found is removed',
};

export async function reextracting({ reextractionId }: ReextractionWorkflowInput): Promise<void> {
  let step: ReextractionStep | null = null;
  setHandler(reextractionStateQuery, () => step, { description: 'How far the re-extraction is.' });
  try {
    for (;;) {
      step = await orCancelled(reextract({ reextractionId }));
      if (step === null) break;
      setCurrentDetails(
        `### Re-extraction ${reextractionId}\n\n${phases[step.phase]}; ${counted(step.pages, 'page')} read, ${counted(step.different, 'page')} different`,
      );
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reextracting>({ reextractionId });
    }
    setCurrentDetails(`Re-extraction ${reextractionId} has nothing left to do; its state is in the API.`);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => cancelReextraction({ reextractionId }));
    throw error;
  }
}
