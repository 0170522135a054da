/**
 * Settings that concern others than the tenant: only crawls of the first tenant may have them. For other tenants they
 * are refused by name.
 */
import type { CrawlSettings } from '../../contracts/http/crawl-settings.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { defaultDelayMs } from '../../domain/pace.ts';
import { HttpProblem } from '../way-in/problem.ts';

/** @throws HttpProblem */
export function refuseUnowned(
  tenantId: number,
  { allowPrivate = [], delaySeconds = null }: Pick<CrawlSettings, 'allowPrivate' | 'delaySeconds'>,
): void {
  if (tenantId === defaultTenant) return;
  // What lies in the network of the workers belongs to those who run the instance.
  if (allowPrivate.length > 0)
    refuse(
      'allowPrivate: only crawls of the first tenant may name private addresses; ORBWEAVER_ALLOW_PRIVATE opens private addresses to the crawls of all tenants.',
    );
  if (delaySeconds !== null && delaySeconds * 1_000 < defaultDelayMs)
    refuse(
      `delaySeconds: less than ${String(defaultDelayMs / 1_000)} needs an operator's permission: an operator can set a shorter delay for the host (PATCH /v1/hosts/{origin}/settings), and crawls without a delay of their own then use it.`,
    );
}

function refuse(detail: string): never {
  throw new HttpProblem(403, detail, { kind: 'forbidden' });
}
