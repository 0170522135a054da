/** Outages of this installation, on the wire. */
import { z } from 'zod';
import { outDependencies } from '../../domain/outage.ts';
import { count, instant } from './shared.ts';

const outage = z
  .object({
    dependency: z.enum(outDependencies).meta({
      description:
        'postgres; blobs: the disk or bucket of bodies; dns: no name server answers; proxy: the proxy through which a worker sends its requests; workers: no worker that fetches has reported for fifteen seconds; region: none of a region has, and others fetch from its hosts.',
    }),
    since: instant,
    why: z.string().nullable().meta({ description: 'The fault in the words of the system.' }),
    workers: count.meta({ description: 'Worker processes that fetch and see it.' }),
    of: count.meta({ description: 'Of so many; if all see it, nothing is fetched.' }),
  })
  .meta({ id: 'Outage' });

export const outagesView = z.array(outage).meta({
  description:
    'What of this installation is out now, the longest first; work goes on by itself when it is back. Empty: nothing is.',
});
