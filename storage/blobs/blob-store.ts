/**
 * Bodies by the SHA-256 of their bytes (content-addressed). Putting the same body twice stores it once. A blob that
 * `get` answers is whole: it is checked against its hash. For a blob that is missing or torn `get` answers null and
 * forgets it, so that the next `put` stores it anew.
 */
export interface BlobStore {
  /** @param hash SHA-256 of `body`, 32 bytes. Resolves once other processes can read the blob. */
  put(hash: Uint8Array, body: Uint8Array): Promise<void>;
  get(hash: Uint8Array): Promise<Uint8Array | null>;
  /** Whether there is such a blob. Only `get` can say whether the blob is whole. */
  has(hash: Uint8Array): Promise<boolean>;
}
