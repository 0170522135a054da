/** What a host's robots.txt says, on the wire. */
import { z } from 'zod';
import { count, instant, maxUrlInUrl } from './shared.ts';

export const robotsQuery = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(maxUrlInUrl)
    .optional()
    .meta({
      description: 'Any spelling of a URL of the host, or a path: the answer says whether it may be fetched.',
      examples: ['/private/a?b=c'],
    }),
  agent: z
    .string()
    .max(256)
    .regex(/^[\x21-\x7e][\x20-\x7e]*$/, 'not a user agent')
    .optional()
    .meta({
      description:
        'User agent of a crawl, whose rules hold beside those for this instance; absent: those alone.',
    }),
});

export const hostRobots = z
  .object({
    origin: z.string(),
    status: z.int().nullable().meta({ description: 'Status of its answer; null: it has not been read yet.' }),
    fetchedAt: instant.nullable(),
    body: z.string().nullable().meta({
      description: 'The copy that holds; null: there is none, or none could be read.',
    }),
    isCut: z.boolean().meta({ description: 'True: it is longer than the part that is read.' }),
    agent: z.string().meta({ description: 'Whose rules these are: the names of a user agent.' }),
    crawlDelaySeconds: z.number().nullable(),
    sitemaps: z.array(z.string()).meta({ description: 'As it names them; they may not be URLs.' }),
    verdict: z
      .object({
        path: z.string().meta({ description: 'What was judged: path and query as they would be requested.' }),
        allowed: z
          .boolean()
          .nullable()
          .meta({ description: 'Null: nothing is fetched until robots.txt can be read.' }),
        rule: z.string().nullable().meta({ description: 'The rule that decides; null: none does.' }),
        line: count.nullable().meta({ description: 'Its line, from 1.' }),
      })
      .nullable()
      .meta({ description: 'Whether `url` may be fetched; null: none was asked about.' }),
  })
  .meta({ id: 'HostRobots' });
export type HostRobots = z.infer<typeof hostRobots>;
