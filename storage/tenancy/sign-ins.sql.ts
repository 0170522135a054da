/** Who is signed in to the console, and links that sign in once. */
import { statement } from '../postgres/index.ts';

export type SignInKind = 'link' | 'session';

export interface SignInRow {
  readonly key_id: string;
  readonly sealed: Buffer;
}

/** Instants: when it ends, by Postgres. @param seconds for which it lasts */
export const insertSignIn = statement<{
  hash: Buffer;
  kind: SignInKind;
  keyId: string;
  sealed: Buffer;
  actor: string;
  seconds: number;
}>('insert-sign-in')`
   insert into sign_in (hash, kind, key_id, sealed, actor, expires_at)
   values ($hash, $kind, $keyId, $sealed, $actor, now() + make_interval(secs => $seconds))`;

/** What is over goes, and of one caller all but the newest `kept` of a kind. */
export const dropOldSignIns = statement<[actor: string, kind: SignInKind, kept: number]>('drop-old-sign-ins')`
   delete from sign_in
    where hash in (select hash from sign_in where expires_at < now() limit 1000)
       or hash in (select hash from sign_in where actor = $1 and kind = $2 order by expires_at desc offset $3)`;

/** One that lasts; no row: there is none, it was taken, or it is over. */
export const findSignIn = statement<[hash: Buffer, kind: SignInKind], SignInRow>('find-sign-in')`
   select key_id, sealed from sign_in where hash = $1 and kind = $2 and expires_at > now()`;

/** No row: there is none that lasts. */
export const endSignIn = statement<[hash: Buffer, kind: SignInKind], { key_id: string }>('end-sign-in')`
   delete from sign_in where hash = $1 and kind = $2 and expires_at > now() returning key_id`;
