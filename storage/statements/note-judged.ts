import { statement } from '../statement.ts';

/** How far a pending version has been applied. None: somebody else has gone on from there. */
export const noteJudged = statement<
  [
    crawlId: string,
    version: number,
    from: string | null,
    to: string,
    judged: number,
    excluded: number,
    readmitted: number,
    reread: number,
    admitted: number,
  ],
  { version: number }
>(
  'note-judged',
  `update crawl_config
      set place = $4, judged = judged + $5, excluded = excluded + $6, readmitted = readmitted + $7,
          reread = reread + $8, admitted = admitted + $9
    where crawl_id = $1 and version = $2 and state = 'pending' and place is not distinct from $3
   returning version`,
);
