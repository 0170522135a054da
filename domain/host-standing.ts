/**
 * Where a host stands: the first of these that applies. paused: an operator paused it; parked: its retries are spent;
 * backoff: left alone after trouble, or because it asked for that; closed: outside its opening times, or its quota is
 * spent; active: it has a workflow; idle: nothing is due.
 */
export const hostStandings = ['paused', 'parked', 'backoff', 'closed', 'active', 'idle'] as const;
export type HostStanding = (typeof hostStandings)[number];
