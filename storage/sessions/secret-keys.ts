/**
 * Seals what must stay secret before it goes to Postgres (AES-256-GCM, NIST SP 800-38D: a random nonce of 96 bits, a tag
 * of 128). What is sealed is bound to the row that it belongs to: in another row it does not open. The id of a key, a part
 * of its SHA-256, tells which key opens what, so that keys can be turned.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

export interface Sealed {
  readonly key_id: string;
  readonly sealed: Buffer;
}

/** The key that sealed a secret is not known to this process. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';

  constructor(keyId: string) {
    super(
      `it was sealed by the key ${keyId}, which is not known here: see ORBWEAVER_SECRET_KEY, or give it anew`,
    );
  }
}

/** This process has no key to seal by. */
export class NoKey extends Error {
  override readonly name = 'NoKey';

  constructor(cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    super(`this process has no key to keep secrets by; set ORBWEAVER_SECRET_KEY${why}`, { cause });
  }
}

const cipher = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];
const idOf = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, 8);

export class SecretKeys {
  readonly #read: () => readonly Buffer[];

  /** @param read called when a key is needed; the first one seals, all of them open */
  constructor(read: () => readonly Buffer[]) {
    this.#read = read;
  }

  /** @param bound names the row @throws NoKey */
  seal(text: string, bound: string): Sealed {
    const key = this.#first();
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(bound));
    const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
    return { key_id: idOf(key), sealed: Buffer.concat([nonce, sealing.getAuthTag(), sealed]) };
  }

  #first(): Buffer {
    try {
      const [key] = this.#read();
      if (key !== undefined) return key;
    } catch (error) {
      throw new NoKey(error);
    }
    throw new NoKey(null);
  }

  /** Is there a key to seal by? @throws NoKey */
  check(): void {
    this.#first();
  }

  /** The keys that can be read: a file that is damaged is as one that is missing. */
  #known(): readonly Buffer[] {
    try {
      return this.#read();
    } catch {
      return [];
    }
  }

  /** Ids of the keys that open, and seal no more. */
  others(): readonly string[] {
    const [first, ...others] = this.#known().map(idOf);
    return others.filter((id) => id !== first);
  }

  /** @throws KeyMissing @throws Error if it was changed, or belongs to another row */
  open({ key_id: keyId, sealed }: Sealed, bound: string): string {
    const key = this.#known().find((each) => idOf(each) === keyId);
    if (key === undefined) throw new KeyMissing(keyId);
    const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)];
    const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    opening.setAAD(Buffer.from(bound)).setAuthTag(tag);
    return Buffer.concat([
      opening.update(sealed.subarray(nonceBytes + tagBytes)),
      opening.final(),
    ]).toString();
  }
}
