/**
 * Webhooks as their owners see them (F38): made, changed, set back and looked at. storage/webhooks/webhook-queue.ts
 * sends.
 */
import { randomBytes } from 'node:crypto';
import {
  messageIdOf,
  mostWebhooks,
  webhookSecretStart,
  type CreatedWebhook,
  type Deliveries,
  type WebhookChange,
  type WebhookView,
} from '../../contracts/http/webhooks.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  changeWebhook,
  deleteWebhook,
  insertWebhook,
  listWebhookAttempts,
  listWebhooks,
  lockWebhook,
  requestWebhookTest,
} from './webhooks.sql.ts';
import { dropReplayedLetters, listWebhookLetters, replayWebhook } from './letters.sql.ts';
import { lockTenant } from '../tenancy/index.ts';
import { refreshWebhookCursors } from './queue.sql.ts';

export interface WantedWebhook {
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly crawlId: string | null;
}

/** Events of one crawl (absent: of all that the webhook hears of), behind an id or since an instant. */
export interface WantedReplay {
  readonly crawlId?: string | null | undefined;
  readonly after?: string | null | undefined;
  readonly since?: string | null | undefined;
}

export interface VersionedWebhook {
  readonly version: number;
  readonly body: WebhookView;
}

/** Versions of which a webhook must have one; null: any. */
type Versions = readonly number[] | null;

/**
 * Null: the tenant has as many webhooks as it may. The answer holds the secret; afterwards only the sender reads it.
 */
export async function createWebhook(
  pool: Pool,
  tenantId: number,
  { url, kinds, crawlId }: WantedWebhook,
): Promise<{ readonly version: number; readonly body: CreatedWebhook } | null> {
  const secret = randomBytes(32);
  return inTransaction(pool, async (db) => {
    await lockTenant(db, tenantId);
    const [made] = await insertWebhook(db, tenantId, url, kinds, crawlId, secret, mostWebhooks);
    const row = made === undefined ? null : await readWebhook(db, tenantId, made.id);
    return row && { ...row, body: { ...row.body, secret: webhookSecretStart + secret.toString('base64') } };
  });
}

/** Oldest first. */
export async function webhooksOf(db: Queryable, tenantId: number): Promise<readonly WebhookView[]> {
  return (await listWebhooks(db, tenantId, null)).map((row) => withVersion(row).body);
}

/** Null: the tenant has no such webhook. */
export async function readWebhook(
  db: Queryable,
  tenantId: number,
  id: string,
): Promise<VersionedWebhook | null> {
  const [row] = await listWebhooks(db, tenantId, id);
  return row === undefined ? null : withVersion(row);
}

/** False: the tenant has no such webhook, or it has none of these versions; nothing was changed. */
export async function editWebhook(
  pool: Pool,
  tenantId: number,
  id: string,
  change: WebhookChange,
  versions: Versions,
): Promise<boolean> {
  return inTransaction(pool, async (db) => {
    const [changed] = await changeWebhook(db, id, tenantId, JSON.stringify(change), versions);
    if (changed?.fresh === true) await refreshWebhookCursors(db, id);
    return changed !== undefined;
  });
}

/** Deletes a webhook with everything that waits for it. False: as `editWebhook`. */
export async function removeWebhook(
  db: Queryable,
  tenantId: number,
  id: string,
  versions: Versions,
): Promise<boolean> {
  return (await deleteWebhook(db, id, tenantId, versions)).length > 0;
}

/**
 * Has events sent (again). Answers for how many crawls; null: the tenant has no such webhook; 'other-crawl': the
 * webhook hears only of another crawl.
 */
export async function replay(
  pool: Pool,
  tenantId: number,
  id: string,
  { crawlId = null, after = null, since = null }: WantedReplay,
): Promise<number | null | 'other-crawl'> {
  return inTransaction(pool, async (db) => {
    const [webhook] = await lockWebhook(db, id, tenantId);
    if (webhook === undefined) return null;
    if (crawlId !== null && webhook.crawl_id !== null && webhook.crawl_id !== crawlId) return 'other-crawl';
    const crawls = await replayWebhook(db, id, crawlId, after, since);
    await dropReplayedLetters(db, id);
    return crawls.length;
  });
}

/** Answers the id of the message that will be sent; null: the tenant has no such webhook. */
export async function requestTest(db: Queryable, tenantId: number, id: string): Promise<string | null> {
  const [row] = await requestWebhookTest(db, id, tenantId);
  return row === undefined ? null : messageIdOf(row.test_id, null);
}

/** The deliveries of a webhook. The caller must have checked that the webhook belongs to the tenant. */
export async function readDeliveries(db: Queryable, id: string, limit: number): Promise<Deliveries> {
  return {
    attempts: await listWebhookAttempts(db, id, limit),
    deadLetters: await listWebhookLetters(db, id, limit),
  };
}

const withVersion = ({ version, ...body }: WebhookView & { readonly version: number }): VersionedWebhook => ({
  version,
  body,
});
