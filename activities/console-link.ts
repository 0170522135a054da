/** In Temporal Web each workflow links to the screen of the console that shows what it is for. */
import type {
  WorkflowClientInterceptor,
  WorkflowSignalWithStartInput,
  WorkflowStartInput,
} from '@temporalio/client';

/** Screens of the console by what ids of workflows begin with; the id goes on with what the screen shows. */
const screens: ReadonlyMap<string, (id: string) => string> = new Map(
  Object.entries({
    crawl: (id: string) => `crawls/${id}`,
    host: (id: string) => `hosts/${encodeURIComponent(id)}`,
    edit: (id: string) => `crawls/${id}/settings`,
    redrive: (id: string) => `crawls/${id}/dead-letters`,
    webhook: (id: string) => `webhooks/${id}`,
  }),
);

/** Undefined: the console has no screen for this workflow. */
export function screenOf(console: string, workflowId: string): string | undefined {
  const slash = workflowId.indexOf('/');
  const path = screens.get(workflowId.slice(0, slash))?.(workflowId.slice(slash + 1));
  return path && console.replace(/\/?$/, '/') + path;
}

/**
 * Gives each workflow the address of its screen as it starts, in its memo: unlike static details it lasts over a
 * continue-as-new, and the code of the workflow shows it in its current details, of which its history knows nothing.
 * @param console its address; null: nobody knows where people reach it
 */
export function linkedToConsole(console: string | null): readonly WorkflowClientInterceptor[] {
  if (console === null) return [];
  const linked = <I extends WorkflowStartInput | WorkflowSignalWithStartInput>(input: I): I => {
    const screen = screenOf(console, input.options.workflowId);
    const memo = { ...input.options.memo, console: screen };
    return screen === undefined ? input : { ...input, options: { ...input.options, memo } };
  };
  return [
    {
      startWithDetails: (input, next) => next(linked(input)),
      signalWithStart: (input, next) => next(linked(input)),
    },
  ];
}
