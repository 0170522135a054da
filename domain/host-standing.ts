/**
 * Where a host stands. paused: by an operator; parked: its retries are spent; backoff: left alone after trouble, or as it asked; closed:
 * outside its opening times, or its quota is spent; active: it has a workflow; idle: nothing is due. The first that
 * applies.
 */
export const hostStandings = ['paused', 'parked', 'backoff', 'closed', 'active', 'idle'] as const;
export type HostStanding = (typeof hostStandings)[number];
