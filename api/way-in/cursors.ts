/**
 * Cursors as clients get them: sealed (AES-256-GCM), and valid only for the list and the tenant for which they were
 * made. An unsealed cursor (with numbers of hosts, for example) would tell how much other tenants have, and clients
 * could invent cursors.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const ivLength = 12;
const tagLength = 16;

export interface CursorSeal {
  /** @param of name of the list; cursors of other lists cannot be opened */
  seal(of: string, cursor: string): string;
  /** Null: the text was not sealed for this list. */
  open(of: string, sealed: string): string | null;
}

/** @param secret at least 32 bytes that only this instance knows */
export function createCursorSeal(secret: Buffer): CursorSeal {
  const key = hash('sha256', secret, 'buffer');
  return {
    seal(of, cursor) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength }).setAAD(
        Buffer.from(of),
      );
      const sealed = Buffer.concat([cipher.update(cursor, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(of, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < ivLength + tagLength) return null;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength), { authTagLength: tagLength })
        .setAAD(Buffer.from(of))
        .setAuthTag(bytes.subarray(-tagLength)); // prettier-ignore
      try {
        return (
          decipher.update(bytes.subarray(ivLength, -tagLength), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch {
        return null;
      }
    },
  };
}
