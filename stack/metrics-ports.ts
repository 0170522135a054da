/**
 * Where the processes of a stack serve their metrics. Each has a port of its own, reserved for as long as the stack runs:
 * one that starts anew serves on the same, so that a file for Prometheus stays right.
 */
import { usualMetricsPort } from '../config/settings/ports.ts';
import { reservePort, type ReservedPort } from './ports.ts';

/** By the name of the process. @param first the ports from there on, or others where these are taken; null: the usual ones */
export async function takeMetricsPorts(
  first: number | null,
  processes: readonly string[],
): Promise<ReadonlyMap<string, ReservedPort>> {
  const taken = new Map<string, ReservedPort>();
  for (const [at, name] of processes.entries()) {
    const usual = (first ?? usualMetricsPort) + at;
    taken.set(name, await reservePort({ what: `the metrics of ${name}`, fixed: null, usual }));
  }
  return taken;
}
