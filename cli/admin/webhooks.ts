/** `webhooks`: receivers of events, and the outcome of each delivery. */
import {
  createdWebhook,
  deliveries,
  newReplay,
  newWebhook,
  replayAnswer,
  testAnswer,
  webhookList,
  webhookView,
  type Deliveries,
  type WebhookView,
} from '../../contracts/http/webhooks.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { commaSeparated, crawlId, wholeNumber } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { judged } from '../judged.ts';
import { moment, table } from '../output/table.ts';
import { asks, does } from '../verb.ts';
import { makeWithSecret, secretOptions } from './secret.ts';

function stateWords({ enabled, disabledReason, failures, notBefore }: WebhookView): string {
  if (!enabled) return `off: ${disabledReason ?? 'by request'}`;
  return failures === 0 ? '' : `${grouped(failures)} failures, again ${moment(notBefore, 'soon')}`;
}

const oneHook = { '<id>': 'id of the webhook, as webhooks list shows it', '--json': 'as JSON' } as const;
const onlyCrawl = { about: 'only events of this crawl', read: crawlId } as const;
const anId = '7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11';
const typed: Readonly<Record<string, string>> = {
  url: 'The URL',
  kinds: '--kinds',
  crawlId: '--crawl',
  after: '--after',
  since: '--since',
};

export const verbs = [
  asks({
    words: 'webhooks list',
    summary: 'List the webhooks, with their latest deliveries and failures.',
    takes: { '--json': 'as JSON, one object a line' },
    needs: 'all',
    route: 'GET /v1/webhooks',
    perPage: null,
    answer: webhookList.shape.items.element,
    print: {
      heads: ['id', 'url', 'events', 'crawl', 'delivered', 'waiting', 'dead', ''],
      row: (hook) => [
        hook.id,
        hook.url,
        hook.kinds?.join(',') ?? 'all',
        hook.crawlId ?? 'all',
        moment(hook.lastDeliveredAt, 'never'),
        grouped(hook.pendingCrawls),
        grouped(hook.deadLetters),
        stateWords(hook),
      ],
      none: 'There is no webhook.',
    },
  }),
  does({
    words: 'webhooks add',
    summary:
      'Send events to a URL from now on. The key that signs them is shown only once, or written to a file with --save.',
    takes: {
      '<url>': 'http or https URL at a public address',
      '--kinds <list>': {
        about: 'kinds of events, comma-separated, such as crawl.finished (default: all)',
        read: commaSeparated,
      },
      '--crawl <id>': onlyCrawl,
      ...secretOptions,
    },
    examples: ['https://example.com/hook --kinds crawl.finished,crawl.failed --save hook.key'],
    run: ({ url, kinds, crawl, ...given }) =>
      makeWithSecret(given, {
        path: '/v1/webhooks',
        wanted: () => judged(newWebhook, { url, kinds, crawlId: crawl }, ([field = '']) => typed[field]),
        answer: createdWebhook,
        line: (hook) => `Webhook ${hook.id} was created: events are sent to ${hook.url}.`,
        secret: 'secret',
        called: 'The key of its signatures',
      }),
  }),
  asks({
    words: 'webhooks remove',
    summary: 'Remove a webhook. Events that were not delivered yet are never delivered.',
    takes: oneHook,
    examples: [anId],
    needs: 'all',
    route: 'DELETE /v1/webhooks/{id}',
    answer: webhookView,
    print: ({ id, url }) => [`Webhook ${id} (${url}) is removed; no further event is sent to it.`],
  }),
  asks({
    words: 'webhooks enable',
    summary: 'Switch a webhook on again. Delivery goes on after the last event that was delivered.',
    takes: oneHook,
    examples: [anId],
    needs: 'all',
    route: 'PATCH /v1/webhooks/{id}',
    body: () => ({ enabled: true }),
    answer: webhookView,
    print: ({ id }) => [`Webhook ${id} is on; delivery goes on after the last event that was delivered.`],
  }),
  asks({
    words: 'webhooks test',
    summary: 'Send a test message to a webhook.',
    takes: oneHook,
    examples: [anId],
    needs: 'all',
    route: 'POST /v1/webhooks/{id}/test',
    makes: true,
    body: () => ({}),
    answer: testAnswer,
    print: ({ messageId }, { id }) => [
      `The test ${messageId} is being sent; orbweaver webhooks deliveries ${id} shows the result.`,
    ],
  }),
  asks({
    words: 'webhooks deliveries',
    summary: 'Show the latest delivery attempts of a webhook, and the deliveries that were given up.',
    takes: {
      ...oneHook,
      '--limit <n>': {
        about: 'attempts, and deliveries given up, to show at most',
        read: wholeNumber(1),
        usual: 20,
      },
    },
    examples: [anId],
    needs: 'all',
    route: 'GET /v1/webhooks/{id}/deliveries',
    query: ({ limit }) => ({ limit }),
    answer: deliveries,
    print: deliveryLines,
  }),
  asks({
    words: 'webhooks replay',
    summary: 'Send events to a webhook again.',
    takes: {
      ...oneHook,
      '--crawl <id>': onlyCrawl,
      '--after <n>': 'only events of the crawl after the one with this number; 0: all',
      '--since <instant>': 'only events from this instant on, such as 2031-01-01T00:00:00Z',
    },
    examples: [`${anId} --crawl 3 --after 0`, `${anId} --since 2031-01-01T00:00:00Z`],
    needs: 'all',
    route: 'POST /v1/webhooks/{id}/replay',
    makes: true,
    body: ({ crawl, after, since }) => {
      if ((after === undefined) === (since === undefined) || (after !== undefined && crawl === undefined))
        throw new CommandError('Give --since INSTANT, or --crawl ID with --after N.');
      return judged(newReplay, { crawlId: crawl, after, since }, ([field = '']) => typed[field]);
    },
    answer: replayAnswer,
    print: ({ crawls }) => [`Events of ${counted(crawls, 'crawl')} are sent again.`],
  }),
];

function deliveryLines({ attempts, deadLetters }: Deliveries): string[] {
  const lines = attempts.map((each) => [
    moment(each.at),
    each.kind,
    each.messageId,
    String(each.attempt),
    each.outcome,
    each.status === null ? '' : String(each.status),
    `${grouped(each.tookMs)} ms`,
    each.message ?? '',
  ]);
  const heads = ['at', 'event', 'message', 'attempt', 'outcome', 'status', 'time', ''];
  const letters = deadLetters.map((each) => [
    moment(each.at),
    each.kind,
    `evt_${each.crawlId}_${each.eventId}`,
    String(each.attempts),
    each.status === null ? '' : String(each.status),
    each.message,
  ]);
  return [
    ...(lines.length === 0 ? ['Nothing has been sent yet.'] : table([heads, ...lines])),
    ...(letters.length === 0
      ? []
      : ['', 'Given up:', ...table([['at', 'event', 'message', 'attempts', 'status', ''], ...letters])]),
  ];
}
