/** Which pages of a host are fetched first. */
import { z } from 'zod';
import {
  defaultWeights,
  focusedWeights,
  weighedSignals,
  weightTolerance,
  type PriorityWeights,
  type WeighedSignal,
} from '../../domain/priority/score.ts';
import { crawlFocus } from '../http/focus.ts';
import { domain } from '../http/patterns.ts';
import { setting } from './setting.ts';

const weightWords = (weights: PriorityWeights): string =>
  weighedSignals
    .flatMap((signal) => (weights[signal] > 0 ? [`${signal} ${String(weights[signal])}`] : []))
    .join(', ');

const priorityWeights = z
  .strictObject(
    Object.fromEntries(weighedSignals.map((signal) => [signal, z.number().min(0).max(1)])) as Record<
      WeighedSignal,
      z.ZodNumber
    >,
  )
  .partial()
  .superRefine((weights, context) => {
    const sum = weighedSignals.reduce((all, signal) => all + (weights[signal] ?? 0), 0);
    if (Math.abs(sum - 1) > weightTolerance)
      context.addIssue({
        code: 'custom',
        message: `the weights sum to ${String(Math.round(sum * 1e4) / 1e4)}; they must sum to 1`,
      });
  })
  .meta({
    description: `Share of each signal in the score of a page, by which the pages of a host are fetched: depth (links from a seed, and the score of the page that names it), inbound (other hosts that link to it), internal (pages of its host that link to it), nesting (segments of its path), home (root of its host), trusted (its domain is in \`trustedDomains\`, or in the imported ranking), freshness (the date in its address, as news have it), relevance (what the links to it promise of the \`focus\`). The shares must sum to 1; a signal that is not named counts for nothing. Null: ${weightWords(defaultWeights)}; with a \`focus\` ${weightWords(focusedWeights)}.`,
    examples: [{ depth: 0.6, inbound: 0.4 }],
  });

export const order = {
  priority: setting({
    schema: priorityWeights.nullable(),
    fallback: null,
    flags: '--priority <weights>',
    help: 'share of each signal in the score by which pages are fetched, such as depth=0.5,inbound=0.5; the shares sum to 1',
    without: weighedSignals
      .flatMap((signal) =>
        defaultWeights[signal] > 0 ? [`${signal}=${String(defaultWeights[signal])}`] : [],
      )
      .join(','),
    form: 'weights',
  }),
  focus: setting({
    schema: crawlFocus.nullable(),
    fallback: null,
    flags: '--focus <words>',
    help: 'fetch pages that are relevant to these words first; @FILE: to the example page in this file; may be repeated',
    without: 'none',
    form: 'focus',
  }),
  trustedDomains: setting({
    schema: z.array(domain).max(10_000),
    fallback: [],
    description: 'Domains that count as trusted, each with its subdomains, when pages are scored.',
    flags: '--trusted-domain <domain>',
    help: 'score pages of this domain and its subdomains as trusted; may be repeated',
    without: 'none',
  }),
};
