/** Rules tried on a stored page, on the wire. */
import { z } from 'zod';
import { fieldTypes } from '../page-rules.ts';
import { pageFieldsView, pageRules } from './page-rules.ts';
import { cutView } from './counts.ts';
import { count, maxUrlInUrl } from './shared.ts';

export const ruleTrialRequest = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(maxUrlInUrl)
      .meta({ description: 'Any spelling of the URL of a stored page.' }),
    rules: pageRules
      .nullable()
      .optional()
      .meta({ description: 'The rules to try; null: none. If they are not given, those of the crawl.' }),
  })
  .meta({
    id: 'RuleTrialRequest',
    examples: [
      {
        url: 'https://example.com/lamp',
        rules: { fields: { price: { select: '.price', type: 'number' } } },
      },
    ],
  });

export const ruleTrial = z
  .object({
    url: z.string().meta({ description: 'The canonical URL.' }),
    title: z.string().nullable(),
    fields: pageFieldsView.nullable().meta({
      description:
        'The values by name. Null: the rules have no fields, or could not be applied, as `cut` says.',
    }),
    unread: z
      .array(
        z.object({
          field: z.string(),
          type: z.enum(fieldTypes),
          text: z.string().meta({ description: 'What the page has, shortened.' }),
        }),
      )
      .readonly()
      .meta({ description: 'The first values that are not of the type of their field.' }),
    text: z.string(),
    main: z.string(),
    words: count,
    links: z.array(z.string()).meta({ description: 'Links that the crawl would take from the page.' }),
    cut: cutView,
    milliseconds: count.meta({ description: 'How long the rules took on this page.' }),
  })
  .meta({ id: 'RuleTrial' });
export type RuleTrial = z.infer<typeof ruleTrial>;
