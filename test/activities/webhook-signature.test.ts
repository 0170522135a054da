/** Signatures against the vector of the Standard Webhooks reference libraries (1.0, symmetric). */
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../engine/webhooks/deliver.ts';

describe('a signed message', () => {
  it('has the headers of the specification’s vector', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    expect(signedHeaders(secret, id, 1_614_265_330, '{"test": 2432232314}')).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('signs id, time and every byte of the body', () => {
    const secret = Buffer.alloc(32, 1);
    const sign = (id: string, at: number, body: string) =>
      signedHeaders(secret, id, at, body)['webhook-signature'];
    const all = [sign('a', 1, 'ü'), sign('b', 1, 'ü'), sign('a', 2, 'ü'), sign('a', 1, 'u')];
    expect(new Set(all).size).toBe(all.length);
  });
});
