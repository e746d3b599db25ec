import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** The addresses of a name in one family, `unknown` for a name that does not exist, or no answer at all. */
export type NameAnswer = readonly string[] | 'unknown' | 'silent';

export type NameServer = {
  /** For `DNS_SERVERS`. */
  readonly address: string;
  /** The questions, such as `A shop.example`, in the order of arrival. */
  readonly asked: readonly string[];
  close(): Promise<void>;
};

const typeNames: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const secondsToLive = 60;

/** A name server on this machine (RFC 1035), over UDP. */
export async function startNameServer(
  answer: (name: string, family: 4 | 6) => NameAnswer | Promise<NameAnswer>,
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', async (message, { port, address }) => {
    const { name, end } = readName(message);
    const type = message.readUInt16BE(end);
    asked.push(`${typeNames[type] ?? type} ${name}`);
    const found = await answer(name, type === 28 ? 6 : 4);
    if (found === 'silent') return;
    const records = found === 'unknown' ? [] : found.map((one) => recordOf(type, one));
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    // An authoritative response. Code 3: the name does not exist.
    header.writeUInt16BE(0x8580 | (found === 'unknown' ? 3 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, message.subarray(12, end + 4), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** The name of the only question, and where its type begins. */
function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function recordOf(type: number, address: string): Buffer {
  const data = Buffer.from(isIPv4(address) ? address.split('.').map(Number) : bytesOf6(address));
  const record = Buffer.alloc(12);
  // The name of the question.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(secondsToLive, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOf6(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}
