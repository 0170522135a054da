/** SQL for where the host `h` stands; what the words mean stands in domain/host-standing.ts. */
export const hostStanding = `case when h.paused_at is not null then 'paused'
        when h.parked_at is not null then 'parked'
        when h.failures > 0 and h.not_before > now() and h.not_before > h.paced_until then 'backoff'
        when h.closed_until > now() then 'closed'
        when h.fed then 'active'
        else 'idle' end`;
