/** `tenants` for an admin of the instance, `tenant` for everybody: quotas, and how much of them is used. */
import {
  quotasView,
  tenantDetail,
  tenantView,
  type Quotas,
  type QuotasAsked,
  type TenantDetail,
} from '../../contracts/tenancy.ts';
import { grouped } from '../../domain/counted.ts';
import { numberOf } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { moment, table } from '../output/table.ts';
import { asks } from '../verb.ts';

const quotaNames = Object.keys(quotasView.shape) as (keyof Quotas)[];

const quotaWords = (quotas: Quotas): string =>
  quotaNames.flatMap((name) => (quotas[name] === null ? [] : [`${name}=${String(quotas[name])}`])).join(' ');

const oneTenant = { '<id>': { about: 'id of the tenant', read: numberOf('a tenant') } } as const;

export const verbs = [
  asks({
    words: 'tenant',
    takes: { '--json': 'as JSON' },
    needs: 'all',
    route: 'GET /v1/tenant',
    answer: tenantDetail,
    print: tenantLines,
  }),
  asks({
    words: 'tenants list',
    summary: 'List the tenants with their quotas.',
    takes: { '--json': 'as JSON, one object a line' },
    needs: 'all',
    route: 'GET /v1/tenants',
    answer: tenantView,
    print: {
      heads: ['id', 'name', 'created', 'quotas'],
      row: ({ id, name, createdAt, closedAt, quotas }) => [
        id,
        name,
        moment(createdAt),
        closedAt === null ? quotaWords(quotas) || 'none' : `closed ${moment(closedAt)}`,
      ],
      none: 'There is no tenant.',
    },
  }),
  asks({
    words: 'tenants create',
    summary: 'Create a tenant.',
    takes: {
      '<name>': 'name of the tenant: unique, and not digits only',
      '--quota <name=number>': { about: 'a quota, such as crawlsAtOnce=5; may be repeated', many: true },
      '--id': 'write only the id, for scripts',
      '--json': 'as JSON',
    },
    examples: ['acme --quota crawlsAtOnce=5 --quota urlsTotal=1000000'],
    needs: 'all',
    route: 'POST /v1/tenants',
    makes: true,
    body: ({ name, quota }) => ({ name, quotas: quota && readQuotas(quota) }),
    answer: tenantView,
    print: ({ id, name }) => [
      `Tenant ${id} (${name}) was created; orbweaver keys create NAME --tenant ${id} creates its first key.`,
    ],
  }),
  asks({
    words: 'tenants set',
    summary: 'Change the name or quotas of a tenant. Whatever is not given stays as it is.',
    takes: {
      ...oneTenant,
      '--name <name>': 'new name of the tenant',
      '--quota <name=number>': {
        about: 'a quota, such as crawlsAtOnce=5; crawlsAtOnce=none removes the quota; may be repeated',
        many: true,
      },
      '--json': 'as JSON',
    },
    examples: ['482915074466183 --quota crawlsAtOnce=none'],
    needs: 'all',
    route: 'PATCH /v1/tenants/{id}',
    body: ({ name, quota }) => {
      if (name === undefined && quota === undefined)
        throw new CommandError('Say what to set: --name, or --quota such as --quota crawlsAtOnce=5.');
      return { name, quotas: quota && readQuotas(quota) };
    },
    answer: tenantView,
    print: ({ id, name, quotas }) => [`Tenant ${id} (${name}): ${quotaWords(quotas) || 'no quotas'}.`],
  }),
  asks({
    words: 'tenants close',
    summary:
      'Close a tenant that has no open crawls. From then on its keys are refused; its crawls and pages stay.',
    takes: { ...oneTenant, '--json': 'as JSON' },
    examples: ['482915074466183'],
    needs: 'all',
    route: 'DELETE /v1/tenants/{id}',
    answer: tenantView,
    print: ({ id, name }) => [
      `Tenant ${id} (${name}) is closed: its keys are refused, and its crawls and pages stay.`,
    ],
  }),
];

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
