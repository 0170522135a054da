/** `webhooks`: receivers of events, and the outcome of each delivery. */
import type { z } from 'zod';
import {
  createdWebhook,
  deliveries,
  newReplay,
  newWebhook,
  replayAnswer,
  testAnswer,
  webhookList,
  webhookView,
  type CreatedWebhook,
  type Deliveries,
  type NewReplay,
  type WebhookView,
} from '../../contracts/http/webhooks.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { anyApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { writeSecretFile } from './secret-file.ts';
import {
  moment,
  printable,
  table,
  writeList,
  writeLines,
  writeMade,
  writeOne,
  type Shown,
} from '../output/table.ts';
import { counted, grouped } from '../../domain/counted.ts';

const shown: Shown<WebhookView> = {
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
};

function stateWords({ enabled, disabledReason, failures, notBefore }: WebhookView): string {
  if (!enabled) return `off: ${disabledReason ?? 'by request'}`;
  return failures === 0 ? '' : `${grouped(failures)} failures, again ${moment(notBefore, 'soon')}`;
}

const pathOf = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`;

export async function listWebhooks(options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const { items } = await api.get('/v1/webhooks', webhookList);
  await writeList(items, json, shown);
  return exitCodes.ok;
}

export interface WebhookOptions extends VerbOptions {
  readonly kinds?: readonly string[];
  readonly crawl?: string;
  /** The file that gets the key of the signatures, instead of the screen. */
  readonly save?: string;
  /** Write only the id. */
  readonly id?: boolean;
}

export async function addWebhook(url: string, options: WebhookOptions): Promise<ExitCode> {
  const { kinds, crawl, save, id = false } = options;
  if (id && save === undefined)
    throw new CommandError('--id would hide the key, which is shown only once. Give --save as well.');
  const wish = judged(
    newWebhook,
    { url, ...(kinds !== undefined && { kinds }), ...(crawl !== undefined && { crawlId: crawl }) },
    { url: 'The URL', kinds: '--kinds', crawlId: '--crawl' },
  );
  const api = await anyApi(options);
  const made = (): Promise<CreatedWebhook> => api.create('/v1/webhooks', createdWebhook, wish);
  const line = (hook: WebhookView): string =>
    `Webhook ${hook.id} was created: events are sent to ${hook.url}.`;
  if (save === undefined) {
    const created = await made();
    writeMade(created, options, () => [
      `${line(created)} The key of its signatures is shown only once:`,
      created.secret,
    ]);
    return exitCodes.ok;
  }
  const created = await writeSecretFile(save, made, ({ secret }) => secret);
  const unseen = { ...created, secret: undefined };
  writeMade(unseen, options, () => [`${line(created)} The key of its signatures is in ${save}.`]);
  return exitCodes.ok;
}

/** Checked as the API does, before the API is asked. @throws CommandError */
function judged<T>(schema: z.ZodType<T>, given: object, places: Readonly<Record<string, string>>): object {
  const read = schema.safeParse(given, { error: inWords });
  if (read.success) return given;
  const [issue] = read.error.issues;
  const place = places[String(issue?.path[0])];
  const message = issue?.message ?? 'it is not valid';
  throw new CommandError(place === undefined ? `${message}.` : `${place} cannot be used: ${message}.`);
}

export async function removeWebhook(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const removed = await api.change('DELETE', pathOf(id), webhookView);
  writeOne(removed, json, () => [
    `Webhook ${removed.id} (${removed.url}) is removed; no further event is sent to it.`,
  ]);
  return exitCodes.ok;
}

export async function enableWebhook(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const hook = await api.change('PATCH', pathOf(id), webhookView, { body: { enabled: true } });
  writeOne(hook, json, () => [
    `Webhook ${hook.id} is on; delivery goes on after the last event that was delivered.`,
  ]);
  return exitCodes.ok;
}

export async function replayWebhook(
  id: string,
  options: VerbOptions & { readonly crawl?: string; readonly after?: string; readonly since?: string },
): Promise<ExitCode> {
  const { crawl, after, since, json = false } = options;
  if ((after === undefined) === (since === undefined) || (after !== undefined && crawl === undefined))
    throw new CommandError('Give --since INSTANT, or --crawl ID with --after N.');
  const wish: NewReplay = {
    ...(crawl !== undefined && { crawlId: crawl }),
    ...(after !== undefined && { after }),
    ...(since !== undefined && { since }),
  };
  const body = judged(newReplay, wish, { crawlId: '--crawl', after: '--after', since: '--since' });
  const api = await anyApi(options);
  const answer = await api.create(`${pathOf(id)}/replay`, replayAnswer, body);
  writeOne(answer, json, () => [`Events of ${counted(answer.crawls, 'crawl')} are sent again.`]);
  return exitCodes.ok;
}

export async function testWebhook(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const answer = await api.create(`${pathOf(id)}/test`, testAnswer, {});
  writeOne(answer, json, () => [
    `The test ${answer.messageId} is being sent; orbweaver webhooks deliveries ${id} shows the result.`,
  ]);
  return exitCodes.ok;
}

export async function showDeliveries(
  id: string,
  options: VerbOptions & { readonly limit: number },
): Promise<ExitCode> {
  const { limit, json = false } = options;
  const api = await anyApi(options);
  const answer = await api.get(`${pathOf(id)}/deliveries`, deliveries, { limit });
  if (json) writeOne(answer, json, () => []);
  else writeLines(deliveryLines(answer).map(printable));
  return exitCodes.ok;
}

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
