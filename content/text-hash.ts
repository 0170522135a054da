import { hash } from 'node:crypto';

/**
 * Identity of a page's text, for exact duplicates that differ in markup only (F20): 32 bytes, SHA-256 of the
 * lower-cased text with block ends read as spaces. Takes `Extracted.text`, which is already NFC and folded.
 * Pages without text share one hash, so callers should not compare those.
 */
export function textHash(text: string): Uint8Array {
  return hash('sha256', text.toLowerCase().replaceAll('\n', ' '), 'buffer');
}
