/** `keys`: API keys, listed, made and revoked. */
import {
  createdKey,
  keyView,
  newKey,
  type CreatedKey,
  type KeyView,
  type NewKey,
} from '../../contracts/tenancy.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { anyApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { writeSecretFile } from './secret-file.ts';
import { moment, writeList, writeMade, writeOne, type Shown } from '../output/table.ts';

const shown: Shown<KeyView> = {
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
};

export async function listKeys(options: VerbOptions & { readonly tenant?: string }): Promise<ExitCode> {
  const { tenant, json = false } = options;
  const api = await anyApi(options);
  await writeList(api.list('/v1/keys', keyView, { tenantId: tenant, limit: 1_000 }), json, shown);
  return exitCodes.ok;
}

export interface KeyOptions extends VerbOptions {
  readonly role: NewKey['role'];
  readonly scopes?: readonly string[];
  readonly expires?: string;
  readonly tenant?: string;
  /** Write only the id. */
  readonly id?: boolean;
  /** The file that gets the key, instead of the screen. */
  readonly save?: string;
}

export async function makeKey(name: string, options: KeyOptions): Promise<ExitCode> {
  const { role, scopes, expires, tenant, save, id = false } = options;
  if (id && save === undefined)
    throw new CommandError('--id would hide the key, which is shown only once. Give --save as well.');
  const wish = readWish({
    name,
    role,
    ...(scopes !== undefined && { scopes }),
    ...(expires !== undefined && { expiresAt: expires }),
    ...(tenant !== undefined && { tenantId: tenant }),
  });
  const api = await anyApi(options);
  const made = (): Promise<CreatedKey> => api.create('/v1/keys', createdKey, wish);
  if (save === undefined) {
    const created = await made();
    writeMade(created, options, () => [`${madeLine(created)} The key is shown only once:`, created.key]);
    return exitCodes.ok;
  }
  const created = await writeSecretFile(save, made, ({ key }) => key);
  const unseen = { ...created, key: undefined };
  writeMade(unseen, options, () => [`${madeLine(created)} The key is in ${save}.`]);
  return exitCodes.ok;
}

/** Checked as the API does, before the API is asked. @throws CommandError */
function readWish(given: object): NewKey {
  const wish = newKey.safeParse(given, { error: inWords });
  if (wish.success) return wish.data;
  const [issue] = wish.error.issues;
  const field = String(issue?.path[0]);
  const place = { name: 'The name', scopes: '--scopes', expiresAt: '--expires' }[field] ?? field;
  throw new CommandError(`${place} cannot be used: ${issue?.message ?? 'it is not valid'}.`);
}

const madeLine = ({ id, role, tenantId }: KeyView): string =>
  `Key ${id} was created (${role}, tenant ${tenantId}).`;

export async function revokeKey(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await anyApi(options);
  const revoked = await api.change('DELETE', `/v1/keys/${encodeURIComponent(id)}`, keyView);
  writeOne(revoked, json, () => [
    `Key ${revoked.id} (${revoked.name}) is revoked; every process refuses it within five seconds.`,
  ]);
  return exitCodes.ok;
}
