import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodingStream, decode, readContentEncoding, type Coding } from '../../net/content-coding.ts';
import { runs } from '../support/runs.ts';

const encoders: Readonly<Record<string, { coding: Coding; encode: (data: Uint8Array) => Buffer }>> = {
  gzip: { coding: 'gzip', encode: (data) => zlib.gzipSync(data) },
  'deflate (zlib)': { coding: 'deflate', encode: (data) => zlib.deflateSync(data) },
  'deflate (raw)': { coding: 'deflate', encode: (data) => zlib.deflateRawSync(data) },
  br: {
    coding: 'br',
    encode: (data) => zlib.brotliCompressSync(data, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  },
  zstd: { coding: 'zstd', encode: (data) => zlib.zstdCompressSync(data) },
};
const limit = 8 * 1024 * 1024;
/** Digits of a xorshift generator: compressible to a half, and no two stretches alike. */
const prose = (length: number): Buffer => {
  let state = length | 1;
  const words: string[] = [];
  for (let size = 0; size < length; size += 8) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words.push(String((state >>> 0) % 100_000_000).padStart(8, ' '));
  }
  return Buffer.from(words.join('').slice(0, length));
};

describe('readContentEncoding', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['gzip', ['gzip']],
    ['X-GZIP', ['gzip']],
    ['deflate, gzip', ['deflate', 'gzip']],
    ['identity', []],
    ['utf-8', []],
    ['gzip, identity , br', ['gzip', 'br']],
    ['gzip,gzip,gzip', ['gzip', 'gzip', 'gzip']],
    ['gzip,gzip,gzip,gzip', null],
    ['compress', null],
    ['dcb', null],
  ])('%j', (value, codings) => {
    expect(readContentEncoding(value)).toEqual(codings);
  });
});

describe.each(Object.entries(encoders))('%s', (_name, { coding, encode }) => {
  it('gives back any body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (data) => {
        const { body, cut } = await decode([coding], encode(data), limit);
        expect(Buffer.compare(body, data)).toBe(0);
        expect(cut).toBe(false);
      }),
      { numRuns: runs(50) },
    );
  });

  it('keeps the part of a truncated body that can be read', async () => {
    const data = prose(300_000);
    const wire = encode(data);
    for (const share of [0.3, 0.9]) {
      const { body, cut } = await decode([coding], wire.subarray(0, wire.length * share), limit);
      expect(cut).toBe('incomplete');
      // zstd gives its blocks of 128 KiB whole or not at all.
      expect(body.length).toBeGreaterThanOrEqual(Math.floor((data.length * share * 0.9) / 131_072) * 131_072);
      expect(data.subarray(0, body.length).equals(body)).toBe(true);
    }
    const { body, cut } = await decode([coding], wire.subarray(0, 1), limit);
    expect({ length: body.length, cut }).toEqual({ length: 0, cut: 'incomplete' });
  });

  it('stops at the limit, which a body may reach', async () => {
    const data = prose(100_000);
    expect((await decode([coding], encode(data), 100_000)).cut).toBe(false);
    const { body, cut } = await decode([coding], encode(data), 99_999);
    expect(cut).toBe('too-large');
    expect(data.subarray(0, 99_999).equals(body)).toBe(true);
    expect(await decode([coding], encode(data), 0)).toMatchObject({ cut: 'too-large' });
  });

  it('says so when the bytes are something else', async () => {
    const html = Buffer.from('<!doctype html><title>plain</title>'.repeat(10));
    const { cut } = await decode([coding], html, limit);
    expect(cut).not.toBe(false);
    expect(cut).not.toBe('too-large');
  });

  it('decodes a long body piece by piece, whole or truncated', async () => {
    const data = prose(2_000_000);
    const wire = encode(data);
    for (const end of [wire.length, wire.length - 1]) {
      const stream = new CodingStream(coding, wire.subarray(0, 100), limit);
      for (let at = 0; at < end; at += 50_000) {
        if (!stream.write(wire.subarray(at, Math.min(at + 50_000, end)))) await stream.drained();
      }
      const { body, cut } = await stream.end();
      expect(data.subarray(0, body.length).equals(body)).toBe(true);
      if (end === wire.length)
        expect({ length: body.length, cut }).toEqual({ length: data.length, cut: false });
      else {
        expect(cut).toBe('incomplete');
        expect(body.length).toBeGreaterThan(data.length - (coding === 'zstd' ? 131_073 : 1_000));
      }
    }
  });

  it('takes nothing more once the limit is passed', async () => {
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024));
    const stream = new CodingStream(coding, bomb, 100_000);
    for (let at = 0; !stream.over; at++) {
      stream.write(bomb.subarray(at * 16, at * 16 + 16));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(stream.write(bomb)).toBe(true);
    await stream.drained();
    const { body, cut } = await stream.end();
    expect({ length: body.length, cut }).toEqual({ length: 100_000, cut: 'too-large' });
  });
});

describe('decode', () => {
  it('undoes stacked codings, the last applied first', async () => {
    const data = prose(50_000);
    const wire = zlib.brotliCompressSync(zlib.deflateRawSync(zlib.gzipSync(data)));
    expect(await decode(['gzip', 'deflate', 'br'], wire, limit)).toEqual({ body: data, cut: false });
  });

  it('bounds every step of a bomb in a bomb', async () => {
    const wire = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(32 * 1024 * 1024)));
    const { body, cut } = await decode(['gzip', 'gzip'], wire, 100_000);
    expect(cut).toBe('too-large');
    expect(body.length).toBe(100_000);
  });

  it('reads gzip of several members, and leaves alone what follows and is none', async () => {
    const [a, b] = [prose(1_000), prose(2_000)];
    const members = Buffer.concat([zlib.gzipSync(a), zlib.gzipSync(b)]);
    expect((await decode(['gzip'], members, limit)).body.length).toBe(3_000);
    const junk = Buffer.concat([zlib.gzipSync(a), Buffer.from('<!-- cached -->')]);
    expect(await decode(['gzip'], junk, limit)).toEqual({ body: a, cut: false });
    const both = Buffer.concat([members, Buffer.from('junk')]);
    expect((await decode(['gzip'], both, limit)).cut).toBe('bad-encoding');
  });

  it('skips every optional field of a gzip header (RFC 1952 section 2.3)', async () => {
    const plain = zlib.gzipSync('hello');
    const fields = Buffer.from([3, 0, 1, 2, 3, ...Buffer.from('name\0comment\0'), 0, 0]);
    const head = Buffer.from(plain.subarray(0, 10));
    head[3] = 4 | 8 | 16 | 2;
    const crc = zlib.crc32(Buffer.concat([head, fields.subarray(0, -2)])) & 0xffff;
    fields.writeUInt16LE(crc, fields.length - 2);
    const wire = Buffer.concat([head, fields, plain.subarray(10), Buffer.from('junk')]);
    expect(Buffer.from((await decode(['gzip'], wire, limit)).body).toString()).toBe('hello');
  });

  it('says so when a checksum is wrong', async () => {
    const wire = zlib.gzipSync(prose(1_000));
    wire[wire.length - 6] = (wire[wire.length - 6] ?? 0) ^ 0xff;
    expect((await decode(['gzip'], wire, limit)).cut).toBe('bad-encoding');
    const junk = Buffer.concat([wire, Buffer.from('junk')]);
    expect((await decode(['gzip'], junk, limit)).cut).toBe('bad-encoding');
  });

  it('refuses a zstd window beyond 8 MiB (RFC 9659)', async () => {
    const data = prose(9 * 1024 * 1024);
    const wire = zlib.zstdCompressSync(data, { params: { [zlib.constants.ZSTD_c_windowLog]: 27 } });
    expect((await decode(['zstd'], wire, 2 * data.length)).cut).toBe('bad-encoding');
  });

  it('takes an empty body for an empty body', async () => {
    expect(await decode(['gzip'], new Uint8Array(), limit)).toEqual({ body: new Uint8Array(), cut: false });
  });
});
