/** In Temporal Web each workflow links to the screen of the console that shows what it is for. */
import type { ScheduleClientInterceptor, WorkflowClientInterceptor } from '@temporalio/client';

/**
 * Screens of the console by what ids of workflows begin with. The id goes on with what the screen shows, or with one of its
 * own: then the memo tells the crawl.
 */
const screens: ReadonlyMap<string, (id: string, crawl: string | undefined) => string | undefined> = new Map(
  Object.entries({
    backup: () => '',
    crawl: (id: string) => `crawls/${id}`,
    edit: (id: string) => `crawls/${id}/settings`,
    export: (_: string, crawl: string | undefined) => crawl && `crawls/${crawl}/pages`,
    host: (id: string) => `hosts/${encodeURIComponent(id)}`,
    recrawl: (id: string) => `crawls/${id}/freshness`,
    redrive: (id: string) => `crawls/${id}/dead-letters`,
    reextraction: (_: string, crawl: string | undefined) => crawl && `crawls/${crawl}`,
    search: (id: string) => `crawls/${id}/pages`,
    webhook: (id: string) => `webhooks/${id}`,
  }),
);

interface Started {
  readonly workflowId: string;
  readonly memo?: Record<string, unknown>;
}

/** Undefined: the console has no screen for this workflow. */
export function screenOf(console: string, { workflowId, memo }: Started): string | undefined {
  const slash = workflowId.indexOf('/');
  const crawl = typeof memo?.['crawl'] === 'string' ? memo['crawl'] : undefined;
  const path = screens.get(workflowId.slice(0, slash))?.(workflowId.slice(slash + 1), crawl);
  return path === undefined ? undefined : console.replace(/\/?$/, '/') + path;
}

/**
 * Gives each workflow the address of its screen as it starts, in its memo: unlike static details it lasts over a
 * continue-as-new, and the code of the workflow shows it in its current details, of which its history knows nothing.
 * @param console its address; null: nobody knows where people reach it
 */
export function linkedToConsole(console: string | null): {
  readonly workflow: WorkflowClientInterceptor[];
  readonly schedule: ScheduleClientInterceptor[];
} {
  if (console === null) return { workflow: [], schedule: [] };
  const linked = <O extends Started>(options: O): O => {
    const screen = screenOf(console, options);
    return screen === undefined ? options : { ...options, memo: { ...options.memo, console: screen } };
  };
  return {
    workflow: [
      {
        startWithDetails: (input, next) => next({ ...input, options: linked(input.options) }),
        signalWithStart: (input, next) => next({ ...input, options: linked(input.options) }),
      },
    ],
    schedule: [
      {
        create: ({ options, ...input }, next) =>
          next({ ...input, options: { ...options, action: linked(options.action) } }),
      },
    ],
  };
}
