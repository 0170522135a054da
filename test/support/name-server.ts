/** A DNS server on loopback that gives one address for every name, over UDP: what a wildcard in DNS makes. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** host:port, as ORBWEAVER_DNS has it. */
  readonly address: string;
  close(): Promise<void>;
}

const headBytes = 12;
const typeA = 1;

/** @param host where it listens. Answers to questions for IPv4 addresses have the address for a minute; all others are empty (RFC 1035 §4.1). */
export async function startNameServer(address: string, host = '127.0.0.1'): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const type = question.readUInt16BE(endOfName(question));
    const head = Buffer.alloc(headBytes);
    question.copy(head, 0, 0, 2);
    // An answer, by authority; recursion was asked for and is there.
    head.writeUInt16BE(0x8580, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(type === typeA ? 1 : 0, 6);
    const asked = question.subarray(headBytes, endOfName(question) + 4);
    socket.send(
      Buffer.concat([head, asked, ...(type === typeA ? [record(address)] : [])]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  return {
    address: `${host}:${String(socket.address().port)}`,
    close: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** The place behind the name of the first question. */
function endOfName(message: Buffer): number {
  let at = headBytes;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) at += 1 + length;
  return at + 1;
}

/** Of type A and class IN, by the name of the question, which begins behind the head. */
function record(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(0xc000 + headBytes, 0);
  bytes.writeUInt16BE(typeA, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt32BE(60, 6);
  bytes.writeUInt16BE(4, 10);
  for (const [at, part] of address.split('.').entries()) bytes.writeUInt8(Number(part), 12 + at);
  return bytes;
}
