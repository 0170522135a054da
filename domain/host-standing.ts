/**
 * Where a host stands. parked: its retries are spent; backoff: left alone after trouble, or as it asked; closed:
 * outside its opening times, or its quota is spent; active: it has a workflow; idle: nothing is due. The first that
 * applies. A pause is known to its workflow alone.
 */
export const hostStandings = ['parked', 'backoff', 'closed', 'active', 'idle'] as const;
export type HostStanding = (typeof hostStandings)[number];
