/** The fetch activities: one slice, or one probe, of one host, with heartbeats and failures for Temporal. */
import { ApplicationFailure } from '@temporalio/common';
import type { FetchActivities, HostRef } from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import { isSpent } from '../domain/trouble.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import type { SliceEnd } from '../engine/visit/slice.ts';
import { Visitor } from '../engine/visit/visitor.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export function createFetchActivities(dependencies: Dependencies): FetchActivities {
  const visitor = new Visitor(dependencies);
  return {
    fetchSlice: (host) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal, beat) => {
          // `cutVisit` names a lease: it cannot end a visit that had none yet, but the server knows that the visit was
          // cancelled, and says so when the slice that has its lease beats.
          const end = await visitor.slice(host, signal, beat);
          if (end === null) throw interrupted(host);
          if ('trouble' in end) throw hostFailure(end);
          return end;
        }),
      ),
    probeHost: (host) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal) => {
          const result = await visitor.probe(host, signal);
          if (result === null) throw interrupted(host);
          return result;
        }),
      ),
  };
}

function hostFailure(end: SliceEnd): ApplicationFailure {
  const { trouble, failures } = end;
  const spent = trouble !== null && isSpent(trouble.class, failures);
  return ApplicationFailure.create({
    type: spent ? failureTypes.spent : failureTypes.host,
    nonRetryable: spent,
    message: `${trouble?.class ?? 'unknown'}: ${trouble?.message ?? ''}`,
    nextRetryDelay: Math.ceil(end.waitMs),
    details: [{ class: trouble?.class, failuresInARow: failures }],
  });
}

const interrupted = (host: HostRef): ApplicationFailure =>
  ApplicationFailure.create({
    type: failureTypes.interrupted,
    message: `the lease of ${host.origin} is held by another worker`,
    nextRetryDelay: 1_000,
  });
