/** The seen-key of a URL: the first 16 bytes of SHA-256 of its canonical form (docs/design.md, "Canonical URLs"). */
import { hash } from 'node:crypto';

export function urlKey(canonical: string): Buffer {
  return hash('sha256', canonical, 'buffer').subarray(0, 16);
}
