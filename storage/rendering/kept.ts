/** Pages whose rendering ends without a browser's body: they keep what was read of them. */

/**
 * SQL: what limits have left out of the page `u`, which keeps what was read of it: a shell needs a browser again. A copy says
 * nothing of that, as everywhere: the page that stands for it does. @param isCopy SQL
 */
export const cutOfKept = (isCopy: string): string =>
  `case when not (${isCopy})
                    and (select p.meta ->> 'needs' from reading p
                          where p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0) = 'javascript'
                  then coalesce(u.cut, '{}') || '{"emptyShells": 1}' else u.cut end`;
