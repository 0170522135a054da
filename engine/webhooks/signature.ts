/** Signatures of the Standard Webhooks specification 1.0: symmetric, version `v1`. */
import { createHmac } from 'node:crypto';

/**
 * The headers by which a receiver verifies a message.
 * @param secret the bytes of the key, not their text
 * @param timestamp of this attempt, in seconds since 1970
 */
export function signedHeaders(
  secret: Uint8Array,
  messageId: string,
  timestamp: number,
  body: string,
): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret)
    .update(`${messageId}.${String(timestamp)}.${body}`)
    .digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
