/** What pages look like, for the statements of all owners. A page has looks only while its body is what a browser made of it. */

/** Columns of `rendering` that tell of a screenshot and of a PDF. */
const lookColumns = ['screenshot_hash', 'screenshot_bytes', 'pdf_hash', 'pdf_bytes'] as const;

/** SQL: what an update of the rendering of a page sets that has no looks any more. */
export const withoutLooks = lookColumns.map((column) => `${column} = null`).join(', ');

/** SQL: an update that takes the looks of those pages `m` in `rows (host_id, crawl_id, key, …)` for which `takes` is true. */
export const takeLooks = (rows: string, takes: string): string =>
  `update rendering g set ${withoutLooks}
       from ${rows} m
      where ${takes} and g.host_id = m.host_id and g.crawl_id = m.crawl_id and g.key = m.key
        and (g.screenshot_bytes is not null or g.pdf_bytes is not null)`;
