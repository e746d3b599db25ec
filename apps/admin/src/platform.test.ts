import { listStores } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { NotRunning } from './exit.ts';
import { createPlatform } from './platform.ts';

test('the password is not sent to another machine without TLS', async () => {
  const natsUrl = 'nats://admin:hunter2@192.0.2.1:4222';
  const error = await createPlatform(readConfig({ NATS_URL: natsUrl }))
    .call(listStores, { query: {} } as never)
    .catch((caught) => caught);
  expect(error).toBeInstanceOf(NotRunning);
  expect(error.message).toMatch(/^NATS_URL leads to another machine without TLS: use tls:/);
});
