/** Text that repeats over the pages of a host, on the wire. */
import { z } from 'zod';
import { hostOrigin } from '../hosts.ts';
import { count } from './shared.ts';

export const boilerplateQuery = z.strictObject({
  host: hostOrigin.meta({ description: 'The host, by its origin, such as `https://example.com`.' }),
});

export const boilerplateView = z
  .object({
    host: z.string(),
    pages: count.meta({
      description:
        'Pages that were counted, a hundred at most. Below twelve nothing counts as repeated. 0 too if the crawl keeps all text.',
    }),
    blocks: z
      .array(
        z.object({
          text: z.string().meta({ description: 'The beginning of the block.' }),
          pages: count.meta({
            description: 'Pages that have it for certain, among those that were counted.',
          }),
        }),
      )
      .meta({ description: 'The blocks that are left out, those of most pages first.' }),
  })
  .meta({ id: 'Boilerplate' });
