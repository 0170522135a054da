/** Whom an activity works for: in each line that it logs. */
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { logAbout } from '../config/process-log.ts';
import type { Tracer } from '../contracts/tracing.ts';

export const loggingIds =
  (tracer: Tracer | undefined) =>
  ({ info }: Context): ActivityInterceptors => ({
    inbound: {
      execute: (input, next) => {
        const { workflowId, runId } = info.workflowExecution ?? {};
        const [given] = input.args as { readonly origin?: unknown; readonly crawlId?: unknown }[];
        const isVisit = info.activityType === 'fetchSlice' || info.activityType === 'probeHost';
        const ids = {
          workflowId,
          activity: info.activityType,
          visit: isVisit ? `${String(runId)}/${info.activityId}` : undefined,
          host: textOf(given?.origin),
          crawlId: textOf(given?.crawlId),
          traceId: tracer?.traceId(),
        };
        return logAbout(ids, () => next(input));
      },
    },
  });

const textOf = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined);
