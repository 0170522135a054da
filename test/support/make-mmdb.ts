/** A database in the MaxMind format, made up: IPv4, records of 24 bits (https://maxmind.github.io/MaxMind-DB/). */
import { isIPv4 } from 'node:net';

type Value =
  | string
  | { readonly uint: number; readonly as: 'uint16' | 'uint32' }
  | { readonly [key: string]: Value };

/** Control byte: the type in the upper three bits, the size below; none here is 29 or more. */
const head = (type: number, size: number): Buffer => Buffer.from([(type << 5) | size]);

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if ('as' in value && typeof value.uint === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value.uint);
    return value.as === 'uint16'
      ? Buffer.concat([head(5, 2), bytes.subarray(2)])
      : Buffer.concat([head(6, 4), bytes]);
  }
  const entries = Object.entries(value as Readonly<Record<string, Value>>);
  return Buffer.concat([
    head(7, entries.length),
    ...entries.flatMap(([key, of]) => [encode(key), encode(of)]),
  ]);
}

/** @param places networks such as `127.1.0.0/16`, with a country and a continent */
export function madeUpMmdb(
  places: Readonly<Record<string, { readonly country?: string; readonly continent?: string }>>,
): Buffer {
  // Each node has a record for 0 and for 1: the number of a node, data, or null for nothing.
  const nodes: (number | { readonly at: number } | null)[][] = [[null, null]];
  const data: Buffer[] = [];
  let length = 0;
  for (const [network, { country, continent }] of Object.entries(places)) {
    const [address = '', bits = ''] = network.split('/');
    if (!isIPv4(address)) throw new Error(`${network} is no IPv4 network`);
    const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    const record = encode({
      ...(country !== undefined && { country: { iso_code: country } }),
      ...(continent !== undefined && { continent: { code: continent } }),
    });
    let node = nodes[0] ?? [];
    for (let bit = 0; bit < Number(bits); bit++) {
      const side = Math.floor(number / 2 ** (31 - bit)) % 2;
      if (bit === Number(bits) - 1) node[side] = { at: length };
      else {
        let next = node[side];
        if (typeof next !== 'number') next = node[side] = nodes.push([null, null]) - 1;
        node = nodes[next] ?? [];
      }
    }
    data.push(record);
    length += record.length;
  }
  const count = nodes.length;
  const tree = Buffer.alloc(6 * count);
  for (const [at, sides] of nodes.entries())
    for (const [side, to] of sides.entries())
      tree.writeUIntBE(
        typeof to === 'number' ? to : to === null ? count : count + 16 + to.at,
        6 * at + 3 * side,
        3,
      );
  const uint16 = (uint: number): Value => ({ uint, as: 'uint16' });
  const metadata = encode({
    ...{
      binary_format_major_version: uint16(2),
      binary_format_minor_version: uint16(0),
      ip_version: uint16(4),
    },
    ...{ database_type: 'Made-Up', record_size: uint16(24), node_count: { uint: count, as: 'uint32' } },
    ...{ build_epoch: { uint: 1, as: 'uint32' }, description: {} },
  });
  const marker = Buffer.from('ABCDEF4D61784D696E642E636F6D', 'hex');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}
