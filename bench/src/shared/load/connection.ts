import { connect } from 'node:net';

/** One keep-alive HTTP/1.1 connection with one request at a time. */
export type Connection = {
  /** Sends the bytes of a request. `onAnswer` gets the status when the whole response has arrived. */
  send(request: string, onAnswer: (status: number) => void): void;
  close(): void;
};

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Opens a connection that parses as little of a response as possible. The load shares the machine with the servers, and
 * node:http costs more than most of them. Every measured server sends `Content-Length`.
 */
export async function openConnection(url: URL, onBroken: (error: Error) => void): Promise<Connection> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.removeAllListeners('error');

  let waiting: ((status: number) => void) | undefined;
  let received: Buffer = Buffer.alloc(0);
  let closed = false;
  const fail = (error: Error) => {
    if (closed) return;
    closed = true;
    socket.destroy();
    onBroken(error);
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`${url.host} closed the connection`)));
  socket.on('data', (bytes) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    const headLength = received.indexOf(headEnd);
    if (headLength < 0) return;
    const head = received.toString('latin1', 0, headLength);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) return fail(new Error(`the response has no Content-Length: ${head}`));
    const end = headLength + headEnd.length + Number(length);
    if (received.length < end) return;
    received = received.subarray(end);
    const answered = waiting;
    waiting = undefined;
    answered?.(Number(head.slice(9, 12)));
  });

  return {
    send(request, onAnswer) {
      waiting = onAnswer;
      socket.write(request);
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}
