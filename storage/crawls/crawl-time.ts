/** SQL for the time of the crawl `c`, an interval without its pauses; null: it has not begun (migrations/0051). */
export const crawlTime = `(coalesce(c.rests_since, now()) - c.started_at - c.rested)`;
