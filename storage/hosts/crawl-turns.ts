/**
 * Whether a crawl may have a turn at a host now, for the statements that look for due work; `q` is the crawl's row of
 * host_queue. A wait that was measured under settings that were edited since does not count: the next slice judges the
 * wait again, from the time of the last answer to the crawl.
 */
const isEdited = 'q.turn_version <> (select config_version from crawl where id = q.crawl_id)';

/** A crawl that the site has logged out has no turn until it is given another session. */
export const isItsTurn = `(q.own_turn_at <= now() or ${isEdited}) and q.held_until <= now() and q.logged_out_at is null`;

/** Milliseconds until the crawl has a turn; 0: it may have a turn now; null: the site has logged it out. */
export const turnInMs = `case when q.logged_out_at is null then greatest(0,
  case when q.own_turn_at > now() and not ${isEdited} then extract(epoch from q.own_turn_at - now()) * 1000 else 0 end,
  case when q.held_until > now() then extract(epoch from q.held_until - now()) * 1000 else 0 end) end::float8`;
