/** `tenants` for an admin of the instance, `tenant` for everybody: quotas, and how much of them is used. */
import {
  quotasView,
  tenantDetail,
  tenantView,
  type Quotas,
  type QuotasAsked,
  type TenantDetail,
  type TenantView,
} from '../../contracts/tenancy.ts';
import { anyApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { moment, table, writeList, writeMade, writeOne, type Shown } from '../output/table.ts';
import { grouped } from '../../domain/counted.ts';

const quotaNames = Object.keys(quotasView.shape) as (keyof Quotas)[];

const shown: Shown<TenantView> = {
  heads: ['id', 'name', 'created', 'quotas'],
  row: ({ id, name, createdAt, closedAt, quotas }) => [
    id,
    name,
    moment(createdAt),
    closedAt === null ? quotaWords(quotas) || 'none' : `closed ${moment(closedAt)}`,
  ],
  none: 'There is no tenant.',
};

const quotaWords = (quotas: Quotas): string =>
  quotaNames.flatMap((name) => (quotas[name] === null ? [] : [`${name}=${String(quotas[name])}`])).join(' ');

export async function listTenants(options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  await writeList(api.list('/v1/tenants', tenantView, { limit: 1_000 }), json, shown);
  return exitCodes.ok;
}

export interface TenantOptions extends VerbOptions {
  readonly name?: string;
  /** Write only the id. */
  readonly id?: boolean;
  /** `name=number`, or `name=none` to turn a quota off. */
  readonly quota?: readonly string[];
}

export async function makeTenant(name: string, options: TenantOptions): Promise<ExitCode> {
  const { quota = [] } = options;
  const quotas = readQuotas(quota);
  const api = await anyApi(options);
  const made = await api.create('/v1/tenants', tenantView, { name, ...(quota.length > 0 && { quotas }) });
  writeMade(made, options, () => [
    `Tenant ${made.id} (${made.name}) was created; orbweaver keys create NAME --tenant ${made.id} creates its first key.`,
  ]);
  return exitCodes.ok;
}

export async function setTenant(id: string, options: TenantOptions): Promise<ExitCode> {
  const { name, quota = [], json = false } = options;
  if (name === undefined && quota.length === 0)
    throw new CommandError('Say what to set: --name, or --quota such as --quota crawlsAtOnce=5.');
  const body = {
    ...(name !== undefined && { name }),
    ...(quota.length > 0 && { quotas: readQuotas(quota) }),
  };
  const api = await anyApi(options);
  const changed = await api.change('PATCH', `/v1/tenants/${id}`, tenantView, { body });
  writeOne(changed, json, () => [
    `Tenant ${changed.id} (${changed.name}): ${quotaWords(changed.quotas) || 'no quotas'}.`,
  ]);
  return exitCodes.ok;
}

export async function closeTenant(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const closed = await api.change('DELETE', `/v1/tenants/${id}`, tenantView);
  writeOne(closed, json, () => [
    `Tenant ${closed.id} (${closed.name}) is closed: its keys are refused, and its crawls and pages stay.`,
  ]);
  return exitCodes.ok;
}

/** The caller's own tenant. */
export async function showTenant(options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const own = await api.get('/v1/tenant', tenantDetail);
  writeOne(own, json, () => tenantLines(own));
  return exitCodes.ok;
}

export function tenantLines({ id, name, quotas, used }: TenantDetail): string[] {
  const usedOf = (quota: keyof Quotas): string =>
    quota in used ? grouped(used[quota as keyof typeof used]) : '';
  const rows = quotaNames.map((quota) => {
    const most = quotas[quota];
    return [quota, most === null ? 'none' : grouped(most), usedOf(quota)];
  });
  return [`Tenant ${id} (${name})`, ...table([['quota', 'at most', 'used'], ...rows])];
}

/** @throws CommandError on a name that is no quota or a value that is no number */
export function readQuotas(given: readonly string[]): QuotasAsked {
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', value = ''] = text.split('=', 2);
      if (!quotaNames.includes(name as keyof Quotas))
        throw new CommandError(
          `There is no quota ${JSON.stringify(name)}; the quotas are ${quotaNames.join(', ')}.`,
        );
      if (value === 'none') return [name, null];
      if (!/^\d{1,15}$/.test(value))
        throw new CommandError(`--quota ${name} must be a whole number, or none to remove the quota.`);
      return [name, Number(value)];
    }),
  );
}
