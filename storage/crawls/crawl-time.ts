/**
 * SQL for the time of the crawl `c`: an interval without the crawl's pauses (crawl_rested). Null: the crawl has not
 * begun.
 */
export const crawlTime = `(coalesce(c.rests_since, now()) - c.started_at - c.rested)`;
