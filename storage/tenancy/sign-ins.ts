/**
 * Signing in to the console. A browser has a random secret, and the row with the hash of it has the key or token that
 * was given, sealed. So the browser holds no key, and a copy of the database lets nobody in.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Pool } from '../postgres/index.ts';
import type { SecretKeys } from '../sessions/index.ts';
import {
  dropOldSignIns,
  endSession,
  findSession,
  insertSignIn,
  takeLink,
  type SignInRow,
} from './sign-ins.sql.ts';

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
  kind: 'link' | 'session',
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
export const bearerOfSession = async (pool: Pool, keys: SecretKeys, secret: string): Promise<string | null> =>
  opened(keys, secret, await findSession(pool, hashOf(secret)));

/** The key or token of a link, which is taken by this; null: it is unknown, taken or over. @throws KeyMissing */
export const bearerOfLink = async (pool: Pool, keys: SecretKeys, secret: string): Promise<string | null> =>
  opened(keys, secret, await takeLink(pool, hashOf(secret)));

function opened(keys: SecretKeys, secret: string, [row]: readonly SignInRow[]): string | null {
  return row === undefined ? null : keys.open(row, boundTo(hashOf(secret)));
}

export const signOut = async (pool: Pool, secret: string): Promise<void> => {
  await endSession(pool, hashOf(secret));
};
