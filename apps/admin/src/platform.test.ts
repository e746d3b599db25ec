import { listStores } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { NotRunning } from './exit.ts';
import { createPlatform } from './platform.ts';

test('the password is not sent to another machine without TLS', async () => {
  const config = { natsUrl: 'nats://admin:hunter2@192.0.2.1:4222', natsTls: {}, plaintextHosts: undefined };
  const error = await createPlatform({ ...config, addressFile: '' })
    .call(listStores, { query: {} } as never)
    .catch((caught) => caught);
  expect(error).toBeInstanceOf(NotRunning);
  expect(error.message).toMatch(/^NATS_URL leads to another machine without TLS: use tls:/);
});
