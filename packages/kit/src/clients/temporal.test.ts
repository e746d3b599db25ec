import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@mostrador/testing/wait';
import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { connectTemporal } from './temporal.ts';

test('what the transport of Temporal logs is a line of our log, never plain text', async () => {
  const server = createServer();
  server.on('session', (session) => {
    session.on('error', () => {});
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const plain = vi.spyOn(console, 'error').mockImplementation(() => {});
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { port } = server.address() as AddressInfo;
  const temporal = connectTemporal({ address: `127.0.0.1:${port}`, namespace: 'default', log });
  await expect(temporal.ping()).rejects.toThrow();
  await waitFor(() => lines.some((line) => /"module":"grpc".*excess pings/.test(line)), { description: 'our line' });
  expect(plain).not.toHaveBeenCalled();
  plain.mockRestore();
  await temporal.close();
  server.close();
});
