/**
 * Hands the header of a trace on: from the request that starts, signals or updates a workflow to the activities that the
 * workflow schedules for it. Temporal's package of interceptors sets this header at the client and reads it at the
 * activity. Its part for workflows is not used: it loads OpenTelemetry into each workflow, draws ids from the random
 * numbers that the workflow itself draws from, and puts promises between an activity and whoever waits for it. This here
 * adds none of that, so a workflow sends the same commands in the same order whether traces are on or off, and the same
 * bundle serves both.
 *
 * A scheduler works for everybody and never ends: its activities are traces of their own. Nor does a trace outlive a run:
 * it is not handed on to the next.
 */
import type { Headers } from '@temporalio/common';
import { AsyncLocalStorage, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';

const header = '_tracer-data';
type Payload = Headers[string];

/** Shared by all workflows of a thread: each reads what was set within itself. */
const current = new AsyncLocalStorage<Payload>();

function within<I extends { readonly headers: Headers }, R>(input: I, next: (input: I) => R): R {
  const payload = input.headers[header];
  return payload === undefined ? next(input) : current.run(payload, next, input);
}

function handOn<I extends { readonly headers: Headers }, R>(input: I, next: (input: I) => R): R {
  const payload = current.getStore();
  return next(payload === undefined ? input : { ...input, headers: { ...input.headers, [header]: payload } });
}

export const interceptors = (): WorkflowInterceptors => {
  if (workflowInfo().workflowType === 'scheduler') return {};
  return {
    inbound: [{ execute: within, handleSignal: within, handleUpdate: within }],
    outbound: [{ scheduleActivity: handOn, scheduleLocalActivity: handOn }],
  };
};
