/** How full the stages behind the fetchers are (domain/pressure.ts), on the wire. */
import { z } from 'zod';
import { stageNames } from '../../domain/pressure.ts';

const stageView = z
  .object({
    stage: z.enum(stageNames as [string, ...string[]]),
    used: z
      .number()
      .min(0)
      .meta({ description: 'How much waits there, in the worker where the stage is fullest.' }),
    capacity: z.number().min(0).meta({ description: 'How much may wait there.' }),
    pace: z.number().min(0).max(1).meta({
      description:
        'Share of their usual pace that is left to what comes before the stage: 1 up to four fifths of the capacity, 0 at the capacity.',
    }),
    means: z.string().meta({ description: 'What waits, and its unit, in words.' }),
  })
  .meta({ id: 'Stage' });

export const stagesView = z.array(stageView).meta({
  description:
    'How full the stages behind the fetchers are, of this installation and all its crawls: what slows fetching down. Empty: the crawl is over, or no worker that fetches is at work.',
});
