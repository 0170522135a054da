/**
 * Where a host stands: the first of these that applies. paused: an operator paused it; parked: its retries are spent;
 * backoff: left alone after trouble, or because it asked for that; closed: outside its opening times, or its quota is
 * spent; active: it has a workflow; asking: it is at the door, where it is asked for its robots.txt before a workflow is
 * started for it; idle: nothing is due, or it waits for its turn.
 */
export const hostStandings = ['paused', 'parked', 'backoff', 'closed', 'active', 'asking', 'idle'] as const;
export type HostStanding = (typeof hostStandings)[number];
