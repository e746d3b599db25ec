import type { Socket } from 'node:net';

/** How much of an answer is searched. Interim answers of a usual server are some hundred bytes. */
const searchedBytes = 16 * 1024;

/** RFC 9112, 4. A parser skips empty lines before it (2.2), and so does a receiver that ends lines with LF only. */
const statusLine = /^(?:\r?\n)*HTTP\/\d\.\d (\d{3})(?: [^\r\n]*)?\r?\n/;
const endOfHead = /\r?\n\r?\n/;

/**
 * The status of the first final answer in these bytes, whatever comes after its status line. Undefined while it is not
 * complete, and when they are not HTTP. Interim answers (RFC 9110, 15.2) are skipped, except 101, after which no other
 * answer comes.
 */
export function statusIn(received: string): number | undefined {
  let rest = received;
  for (;;) {
    const status = Number(statusLine.exec(rest)?.[1] ?? Number.NaN);
    if (Number.isNaN(status) || status < 100) return undefined;
    if (status === 101 || status >= 200) return status;
    const end = endOfHead.exec(rest);
    if (end === null) return undefined;
    rest = rest.slice(end.index + end[0].length);
  }
}

/** Reads along with the HTTP parser, which says nothing of a status line whose headers it refuses. */
export function watchStatus(socket: Socket): { status(): number | undefined; end(): void } {
  let received = '';
  const read = (chunk: Buffer) => {
    if (received.length < searchedBytes) received += chunk.toString('latin1', 0, searchedBytes - received.length);
  };
  socket.on('data', read);
  return { status: () => statusIn(received), end: () => void socket.off('data', read) };
}
