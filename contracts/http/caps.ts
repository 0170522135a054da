/** Caps on addresses and domains by an operator (F05) on the wire: what the API takes and answers. */
import { z } from 'zod';
import { capRateWords, isCapRate, maxCapRate } from '../../domain/caps.ts';
import { instant, limit, nextCursor } from './shared.ts';

const name = z
  .string()
  .max(300)
  .meta({
    description:
      'A registered domain, which stands for all hosts below it; an IPv4 address; or an IPv6 address, which stands for its /64.',
    examples: ['example.com', '192.0.2.7', '2001:db8:1:2::/64'],
  });
export const capPath = z.strictObject({ name });

const rate = z
  .number()
  .refine(isCapRate, `must be ${capRateWords}, or null`)
  .nullable()
  .meta({
    description: `Largest number of requests per second, by all workers together: ${capRateWords}. Null: no cap, whatever the process settings say.`,
  });
const inFlight = z.int().min(1).max(maxCapRate).nullable().meta({
  description:
    'Largest number of requests in flight; null: as many as the rate. More than the rate has no effect.',
});

export const newCap = z
  .strictObject({ name, rate, inFlight: inFlight.optional() })
  .refine(
    ({ rate: most, inFlight: flying = null }) => most !== null || flying === null,
    'inFlight takes a rate',
  )
  .meta({ id: 'NewCap' });

export const capView = z.object({ name: z.string(), rate, inFlight, changedAt: instant }).meta({ id: 'Cap' });
export type CapView = z.infer<typeof capView>;

export const defaultCapLimit = 100;
export const capQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[a-z0-9._:/-]{1,260}$/i, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultCapLimit),
});
export const capList = z.object({ items: z.array(capView), next: nextCursor }).meta({ id: 'CapList' });
