/** What pages look like, for the statements of all owners. A page has looks only while its body is what a browser made of it. */

/** Columns of `rendering` that tell of a screenshot and of a PDF. */
const lookColumns = ['screenshot_hash', 'screenshot_bytes', 'pdf_hash', 'pdf_bytes'] as const;

/** SQL: an update that takes the looks of those pages `m` in `rows (host_id, crawl_id, key, …)` for which `takes` is true. */
export const takeLooks = (rows: string, takes: string): string =>
  `update rendering g set ${lookColumns.map((column) => `${column} = null`).join(', ')}
       from ${rows} m
      where ${takes} and g.host_id = m.host_id and g.crawl_id = m.crawl_id and g.key = m.key
        and (g.screenshot_bytes is not null or g.pdf_bytes is not null)`;

/** SQL: the same in an update of the rendering `g` that sets other columns too. @param takes SQL: the page loses its looks */
export const looksUnless = (takes: string): string =>
  lookColumns.map((column) => `${column} = case when not ${takes} then g.${column} end`).join(', ');
