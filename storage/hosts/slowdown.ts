/** SQL for a host's slowdown as it is now, after time has taken doublings back (`easedByTime` of domain/pace.ts). */
import { easeMs } from '../../domain/pace.ts';

const easeSeconds = String(easeMs / 1_000);

const steps = (host: string): string =>
  `least(${host}slowdown, coalesce(floor(extract(epoch from now() - ${host}complained_at) / ${easeSeconds}), 0))::int`;

/** @param host the row's name with a dot, or nothing */
export const slowdownNow = (host = ''): string => `(${host}slowdown - ${steps(host)})`;

/** Milliseconds since the last complaint, or since time last took one doubling back; null: there was no complaint. */
export const complainedAgo = `((extract(epoch from now() - complained_at) - ${easeSeconds} * ${steps('')}) * 1000)::float8`;
