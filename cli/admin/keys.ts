/** `keys`: API keys, listed, made and revoked. */
import { createdKey, keyView, newKey, roles } from '../../contracts/tenancy.ts';
import { commaSeparated, numberOf } from '../arguments.ts';
import { judged } from '../judged.ts';
import { moment } from '../output/table.ts';
import { asks, does } from '../verb.ts';
import { makeWithSecret, secretOptions } from './secret.ts';

export const verbs = [
  asks({
    words: 'keys list',
    summary: 'List the API keys. Only the first characters of each key are shown.',
    takes: {
      '--tenant <id>': {
        about: 'keys of this tenant instead of your own, for admins of the instance',
        read: numberOf('a tenant'),
      },
      '--json': 'as JSON, one object a line',
    },
    route: 'GET /v1/keys',
    query: ({ tenant }) => ({ tenantId: tenant }),
    answer: keyView,
    print: {
      heads: ['id', 'name', 'begins', 'role', 'scopes', 'tenant', 'created', 'expires', 'used', ''],
      row: (key) => [
        key.id,
        key.name,
        key.prefix,
        key.role,
        key.scopes?.join(',') ?? 'all',
        key.tenantId,
        moment(key.createdAt),
        moment(key.expiresAt, 'never'),
        moment(key.lastUsedAt, 'never'),
        key.revokedAt === null ? '' : `revoked ${moment(key.revokedAt)}`,
      ],
      none: 'There is no key.',
    },
  }),
  does({
    words: 'keys create',
    summary: 'Create an API key. The key is shown only once, or written to a file with --save.',
    takes: {
      '<name>': 'what the key is for',
      '--role <role>': { about: 'what the key may do', choices: roles, needed: true },
      '--scopes <list>': {
        about: 'parts of the API that the key opens, comma-separated, such as crawls,hosts (default: all)',
        read: commaSeparated,
      },
      '--expires <instant>':
        'instant from which the key is refused, such as 2031-01-01T00:00:00Z (default: never)',
      '--tenant <id>': {
        about: 'create the key for this tenant, for admins of the instance',
        read: numberOf('a tenant'),
      },
      ...secretOptions,
    },
    examples: [
      '"nightly job" --role operator --scopes crawls --save nightly.key',
      '"the first of acme" --role admin --tenant 482915074466183',
    ],
    run: async ({ name, role, scopes, expires, tenant, ...given }) => {
      const typed: Readonly<Record<string, string>> = {
        name: 'The name',
        scopes: '--scopes',
        expiresAt: '--expires',
      };
      const wanted = { name, role, scopes, expiresAt: expires, tenantId: tenant };
      await makeWithSecret(given, {
        path: '/v1/keys',
        wanted: () => judged(newKey, wanted, ([field = '']) => typed[field] ?? field),
        answer: createdKey,
        line: (key) => `Key ${key.id} was created (${key.role}, tenant ${key.tenantId}).`,
        secret: 'key',
        called: 'The key',
      });
    },
  }),
  asks({
    words: 'keys revoke',
    summary: 'Revoke an API key. Every process refuses the key within five seconds.',
    takes: { '<id>': 'id of the key, as keys list shows it', '--json': 'as JSON' },
    examples: ['7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11'],
    route: 'DELETE /v1/keys/{id}',
    answer: keyView,
    print: ({ id, name }) => [
      `Key ${id} (${name}) is revoked; every process refuses it within five seconds.`,
    ],
  }),
];
