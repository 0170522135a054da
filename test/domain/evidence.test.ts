/** What is kept of a response that failed: enough to see why, and nothing that could be a secret. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerEvidence, leftOutField, maxEvidenceBytes, maxEvidenceFields } from '../../domain/evidence.ts';
import { runs } from '../support/runs.ts';

describe('header evidence', () => {
  it('keeps what tells why, whatever else there is', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`a-${String(at)}`, 'x'.repeat(200)]),
    );
    const telling = { 'retry-after': '120', server: 'nginx', 'www-authenticate': 'Basic', 'cf-ray': '8a' };
    expect(headerEvidence({ ...many, ...telling })).toMatchObject(telling);
  });

  it.each([
    ...[
      'set-cookie',
      'cookie',
      'authorization',
      'proxy-authorization',
      'authentication-info',
      'x-csrf-token',
    ],
    ...['x-session-id', 'x-api-key', 'x-amz-security-token', 'x-client-secret', 'x-amz-signature'],
  ])('never keeps %s', (name) => {
    expect(headerEvidence({ [name]: 'x', server: 'nginx' })).toEqual({ server: 'nginx' });
  });

  it('leaves out what is long and says nothing', () => {
    expect(headerEvidence({ 'content-security-policy': "default-src 'self'", nel: '{}', age: '5' })).toEqual({
      age: '5',
    });
  });

  it('is bounded in fields and bytes, for any response', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/);
    const value = fc.oneof(fc.string({ maxLength: 400 }), fc.string({ unit: 'binary', maxLength: 400 }));
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 60 }), (headers) => {
        const kept = headerEvidence(headers);
        const entries = Object.entries(kept);
        expect(entries.length).toBeLessThanOrEqual(maxEvidenceFields);
        const bytes = entries.reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
        expect(bytes).toBeLessThanOrEqual(maxEvidenceBytes);
        const { [leftOutField]: more, ...fields } = kept;
        for (const [field, text] of Object.entries(fields)) {
          expect(headers[field]?.startsWith(text.replace(/…$/, '').replace(/\ufffd$/, ''))).toBe(true);
        }
        const fitting = Object.entries(headers).filter(
          ([field]) => Object.keys(headerEvidence({ [field]: 'x' })).length > 0,
        );
        expect(Object.keys(fields).length + Number(more?.split(' ')[0] ?? 0)).toBe(fitting.length);
      }),
    );
  });

  it('leaves nothing out of what fits, and has no room to spare where it does', () => {
    const sized = fc.record({
      fields: fc.integer({ min: 1, max: 30 }),
      length: fc.integer({ min: 0, max: 250 }),
    });
    fc.assert(
      fc.property(sized, ({ fields, length }) => {
        const headers = Object.fromEntries(
          Array.from({ length: fields }, (_, at) => [`x-${String(at).padStart(2, '0')}`, 'y'.repeat(length)]),
        );
        const fits = fields <= maxEvidenceFields && fields * (4 + length) <= maxEvidenceBytes;
        const kept = headerEvidence(headers);
        expect(leftOutField in kept).toBe(!fits);
        if (fits) expect(kept).toEqual(headers);
        if (fits) return;
        const count = Object.keys(kept).length - 1;
        const room = maxEvidenceBytes - count * (4 + length);
        expect(count === maxEvidenceFields - 1 || room < 4 + length + 30).toBe(true);
      }),
      {
        examples: [[{ fields: maxEvidenceFields, length: 1 }], [{ fields: 16, length: 124 }]],
        numRuns: runs(500),
      },
    );
  });
});
