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
  expect(error.message).toContain('NATS_URL leads to another machine without TLS: use tls:');
  expect(error.message).not.toContain('hunter2');
});

test.each([
  ['POSTGRES_URL', 'postgres://postgres:hunter2@192.0.2.1:5432/mostrador', 'sslmode=verify-full'],
  ['TEMPORAL_ADDRESS', '192.0.2.1:7233', 'TEMPORAL_TLS=true'],
])('nor is %s used without TLS beyond this machine', async (name, address, remedy) => {
  const asked = createPlatform(readConfig({ NATS_URL: 'nats://127.0.0.1:4222', [name]: address })).addresses();
  const error = await asked.catch((caught) => caught);
  expect(error.message).toContain(`${name} leads to another machine without TLS`);
  expect(error.message).toContain(remedy);
  expect(error.message).not.toContain('hunter2');
});
