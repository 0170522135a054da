/**
 * Signing in to the console. A browser has a random secret, and the row with the hash of it has the key or token that
 * was given, sealed. So the browser holds no key, and a copy of the database lets nobody in.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Pool } from '../postgres/index.ts';
import type { SecretKeys } from '../sessions/index.ts';
import { dropOldSignIns, endSignIn, findSignIn, insertSignIn, type SignInKind } from './sign-ins.sql.ts';

/** A session lasts for a working day, and a link until somebody has had time to open it. */
export const signInSeconds = { session: 12 * 3_600, link: 10 * 60 } as const;

/** Of one caller, of each kind; older ones end. */
const mostOfOne = 50;

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');
const boundTo = (hashed: Buffer): string => `sign-in ${hashed.toString('hex')}`;

/** @param bearer the key or token @param actor its caller @returns what the browser keeps @throws NoKey */
export async function signIn(
  pool: Pool,
  keys: SecretKeys,
  kind: SignInKind,
  bearer: string,
  actor: string,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const hashed = hashOf(secret);
  const { key_id: keyId, sealed } = keys.seal(bearer, boundTo(hashed));
  await insertSignIn(pool, { hash: hashed, kind, keyId, sealed, actor, seconds: signInSeconds[kind] });
  await dropOldSignIns(pool, actor, kind, mostOfOne);
  return secret;
}

/** The key or token of a session; null: it is unknown or over. @throws KeyMissing */
export const bearerOfSession = (pool: Pool, keys: SecretKeys, secret: string): Promise<string | null> =>
  bearerOf(pool, keys, secret, 'session');

/** The key or token of a link, which is not taken by this; null: it is unknown, taken or over. @throws KeyMissing */
export const bearerOfLink = (pool: Pool, keys: SecretKeys, secret: string): Promise<string | null> =>
  bearerOf(pool, keys, secret, 'link');

async function bearerOf(
  pool: Pool,
  keys: SecretKeys,
  secret: string,
  kind: SignInKind,
): Promise<string | null> {
  const hashed = hashOf(secret);
  const [row] = await findSignIn(pool, hashed, kind);
  return row === undefined ? null : keys.open(row, boundTo(hashed));
}

/** False: another browser has taken it, or it is over. */
export const takeLink = async (pool: Pool, secret: string): Promise<boolean> =>
  (await endSignIn(pool, hashOf(secret), 'link')).length > 0;

export const signOut = async (pool: Pool, secret: string): Promise<void> => {
  await endSignIn(pool, hashOf(secret), 'session');
};
