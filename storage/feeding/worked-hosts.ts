/**
 * Hosts of a shard that count under its cap of active hosts, for the statements that count them: a workflow has them,
 * and they can be visited within a minute. Hosts that sleep for longer (paused, in backoff, with a long delay or
 * outside their windows) take no place: otherwise a few hundred silent hosts would hold up all others for hours.
 */
export const workedHosts = (shard: string): string =>
  `host where shard = ${shard} and fed and paused_at is null and not_before < now() + interval '1 minute' and closed_until <= now()`;
