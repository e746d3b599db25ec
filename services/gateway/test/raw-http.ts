import { once } from 'node:events';
import { connect } from 'node:net';

/** The bytes from a raw socket, parsed as one HTTP response. */
export type RawResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Sends bytes that no HTTP client would send, and reads until the server closes the connection. */
export async function sendRaw(port: number, text: string, limitMs = 30_000): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.setTimeout(limitMs, () => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  await once(socket, 'close');
  return readResponse(Buffer.concat(chunks).toString('utf8'));
}

function readResponse(text: string): RawResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}
