/** SQL for the standing of the host `h`; domain/host-standing.ts says what the words mean. */
export const hostStanding = `case when h.paused_at is not null then 'paused'
        when h.parked_at is not null then 'parked'
        when h.failures > 0 and h.not_before > now() and h.not_before > h.paced_until then 'backoff'
        when h.closed_until > now() then 'closed'
        when h.fed then 'active'
        when h.known_at is null and h.lease_token is not null and h.lease_until > now() then 'asking'
        else 'idle' end`;

/** The host `h` is lent to a foreign fetcher now. */
export const isOnLoan = `(h.lease_until > now()
        and exists (select from lent_url l where l.host_id = h.id and l.token = h.lease_token))`;
