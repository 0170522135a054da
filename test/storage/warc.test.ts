/** Records, and the members that hold them. */
import { hash as digest, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allMembers } from '../support/all-members.ts';
import {
  formatOf,
  pack,
  packSmall,
  segmentFormats,
  segmentName,
  unpack,
  unpackAside,
  unpackBoth,
  infoRecord,
  payloadDigest,
  readRecord,
  responseRecords,
  revisitRecords,
  type Capture,
} from '../../storage/archive/index.ts';
import { runs } from '../support/runs.ts';

const maxBytes = 8 * 1024 * 1024;
const capture = (over: Partial<Capture> = {}): Capture => {
  const body = over.body ?? Buffer.from('<p>Hello\r\n\r\nthere');
  return {
    hash: digest('sha256', body, 'buffer'),
    url: 'https://www.example/a?b=c',
    at: new Date('2026-11-22T12:00:00.123Z'),
    remoteAddress: '192.0.2.1',
    asked: { 'user-agent': 'Test/1.0', 'if-none-match': '"x"' },
    status: 200,
    headers: {
      'content-type': 'text/html',
      'content-encoding': 'gzip',
      'content-length': '9',
      'x-robots-tag': 'a: noindex\nnoarchive',
      'x-odd': 'caf\u00e9',
    },
    body,
    truncated: false,
    ...over,
  };
};

describe('the record of a 304', () => {
  it('says which answer has not changed, and tells no length', () => {
    const unchangedSince = new Date('2026-01-02T03:04:05Z');
    const { revisit } = revisitRecords(capture({ status: 304, body: Buffer.of(), unchangedSince }));
    const read = readRecord(revisit);
    expect(Object.fromEntries(read?.fields ?? [])).toMatchObject({
      'warc-type': 'revisit',
      'warc-profile': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
      'warc-refers-to-target-uri': 'https://www.example/a?b=c',
      'warc-refers-to-date': '2026-01-02T03:04:05.000Z',
    });
    expect(read?.head).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
    expect(read?.head).not.toMatch(/^content-length/m);
  });
});

describe('the record of an answer', () => {
  it('has the head as it came, but for the encoding that the body has no more, and the body', () => {
    const { response, request } = responseRecords(capture());
    const read = readRecord(Buffer.concat([response, request]));
    expect(read?.head.split('\r\n')).toEqual([
      ...['HTTP/1.1 200 OK', 'content-type: text/html', 'x-archive-orig-content-encoding: gzip'],
      ...['x-archive-orig-content-length: 9', 'x-robots-tag: a: noindex', 'x-robots-tag: noarchive'],
      ...['x-odd: caf\u00e9', 'content-length: 17'],
    ]);
    expect(Buffer.from(read?.body ?? []).toString()).toBe('<p>Hello\r\n\r\nthere');
    expect(Object.fromEntries(read?.fields ?? [])).toMatchObject({
      'warc-type': 'response',
      'warc-target-uri': 'https://www.example/a?b=c',
      'warc-date': '2026-11-22T12:00:00.123Z',
      'warc-ip-address': '192.0.2.1',
      'warc-payload-digest': payloadDigest(capture().hash),
    });
    expect(read?.fields.has('warc-truncated')).toBe(false);
  });

  it.each([
    ['too-large', 'length'],
    ['incomplete', 'disconnect'],
    ['bad-encoding', 'unspecified'],
  ] as const)('says that its body is %s', (truncated, told) => {
    const { response } = responseRecords(capture({ truncated }));
    expect(readRecord(response)?.fields.get('warc-truncated')).toBe(told);
  });

  it('comes with its request, which names it, and none of the crawl’s own fields', () => {
    const { response, request } = responseRecords(capture());
    const read = readRecord(request);
    expect(read?.head.split('\r\n')).toEqual([
      ...['GET /a?b=c HTTP/1.1', 'host: www.example', 'user-agent: Test/1.0', 'if-none-match: "x"'],
    ]);
    expect(read?.fields.get('warc-concurrent-to')).toBe(readRecord(response)?.fields.get('warc-record-id'));
  });

  it('is a revisit with the head alone where the body is known', () => {
    const { revisit } = revisitRecords(capture());
    const read = readRecord(revisit);
    expect(read?.fields.get('warc-type')).toBe('revisit');
    expect(read?.fields.get('warc-payload-digest')).toBe(payloadDigest(capture().hash));
    expect([read?.head.startsWith('HTTP/1.1 200 OK\r\n'), read?.body.length]).toEqual([true, 0]);
  });

  it('cannot be ended early by what a server sends', () => {
    const headers = { 'x-evil': 'a\r\n\r\nWARC/1.1\r\nWARC-Type: response' };
    const read = readRecord(responseRecords(capture({ headers })).response);
    expect(Buffer.from(read?.body ?? []).toString()).toBe('<p>Hello\r\n\r\nthere');
  });
});

describe.each(segmentFormats)('members of %s', (format) => {
  it('hold any record, one after another, as the format’s own program reads them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 3_000 }), { minLength: 1, maxLength: 5 }),
        (records) => {
          const members = records.map((record, at) => (at % 2 === 0 ? pack : packSmall)(record, format));
          const first = unpack(Buffer.concat(members), format, maxBytes)?.subarray(0, records[0]?.length);
          expect(first).toEqual(Buffer.from(records[0] ?? []));
          expect(allMembers(Buffer.concat(members), format)).toEqual(Buffer.concat(records));
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it.each([0, 1, 127, 128 * 1024, 128 * 1024 + 1, 1_000_000])('hold a small record of %i bytes', (bytes) => {
    const record = randomBytes(bytes);
    expect(unpack(packSmall(record, format), format, maxBytes)?.equals(record)).toBe(true);
  });

  it('are null where any bit is flipped, where they are cut short, and where they are larger than any of ours', () => {
    const record = responseRecords(capture({ body: Buffer.from('one two three '.repeat(30)) })).response;
    const packed = pack(record, format);
    for (let bit = 0; bit < packed.length * 8; bit++) {
      const torn = Buffer.from(packed);
      torn.writeUInt8(torn.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const read = unpack(torn, format, maxBytes);
      // gzip has a few fields that mean nothing: what is read is right, or nothing is read.
      expect(read === null || read.equals(record), `bit ${String(bit)}`).toBe(true);
    }
    for (let length = 0; length < packed.length; length++)
      expect(unpack(packed.subarray(0, length), format, maxBytes)?.equals(record) ?? false).toBe(false);
    expect(unpack(pack(Buffer.alloc(2_000), format), format, 1_999)).toBeNull();
  });

  it('are unpacked aside as they are here', async () => {
    const other = packSmall(Buffer.from('the request'), format);
    for (const length of [1, 2_000, 300_000, 3_000_000]) {
      const record = randomBytes(length);
      const member = pack(record, format);
      for (const bytes of [member, Buffer.concat([member, other]), member.subarray(0, member.length - 1)]) {
        const here = unpack(bytes, format, maxBytes);
        const aside = await unpackAside(bytes, format, maxBytes);
        expect(aside?.subarray(0, length).equals(record) ?? null).toBe(here === null ? null : true);
        const both = await unpackBoth(bytes, format, maxBytes, unpackAside);
        const bothHere = await unpackBoth(bytes, format, maxBytes);
        expect(bothHere === null ? both : both?.equals(bothHere)).toBe(bothHere === null ? null : true);
      }
      expect(await unpackAside(member, format, length - 1)).toBeNull();
    }
  });

  it('are read right whatever was read before: a whole member, a torn or short one, or one that is too large', () => {
    const readings = fc.array(
      fc.record({
        length: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constant(300_000)),
        how: fc.constantFrom('whole', 'torn', 'short', 'large'),
        where: fc.double({ min: 0, max: 0.999, noNaN: true }),
      }),
      { minLength: 2, maxLength: 8 },
    );
    fc.assert(
      fc.property(readings, (each) => {
        for (const { length, how, where } of each) {
          const record = Buffer.alloc(length, `one two three ${String(length)} `);
          const member = pack(record, format);
          const place = Math.floor(where * member.length);
          const bytes = Buffer.concat([member, packSmall(Buffer.from('the request'), format)]);
          if (how === 'torn') bytes.writeUInt8(bytes.readUInt8(place) ^ 4, place);
          const most = how === 'large' ? record.length - 1 : maxBytes;
          const read = unpack(how === 'short' ? bytes.subarray(0, place) : bytes, format, most);
          if (how === 'short' || how === 'large') expect(read).toBeNull();
          else if (how === 'whole' || read !== null)
            expect(read?.subarray(0, record.length).equals(record)).toBe(true);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('make an archive that the format’s own program unpacks', () => {
    const { response, request } = responseRecords(capture({ body: randomBytes(300_000) }));
    const info = infoRecord('Test/1.0', new Date());
    const members = [packSmall(info, format), pack(response, format), packSmall(request, format)];
    expect(allMembers(Buffer.concat(members), format).equals(Buffer.concat([info, response, request]))).toBe(
      true,
    );
  });

  it('are told by the name of their segment', () => {
    expect(formatOf(segmentName('one', format))).toBe(format);
  });
});
