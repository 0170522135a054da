import { statement } from '../statement.ts';

/** Seeds up to this line are admitted. */
export const noteSeeded = statement<[crawlId: number, line: number], Record<string, never>>(
  'note-seeded',
  `update crawl set seeded_line = greatest(seeded_line, $2) where id = $1`,
);
