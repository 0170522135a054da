/** SQL for the time of the crawl `c`, an interval without its pauses; null: it has not begun (crawl_rested). */
export const crawlTime = `(coalesce(c.rests_since, now()) - c.started_at - c.rested)`;
