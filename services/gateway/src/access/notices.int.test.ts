import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccessNotices } from './notices.ts';

let nats: TestNats;

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats?.stop());

test('a notice makes every gateway poll, and without NATS it is lost without an error', async () => {
  const refreshed = { here: 0, there: 0 };
  const here = createAccessNotices(nats.nats, { refresh: async () => void refreshed.here++ });
  createAccessNotices(nats.nats, { refresh: async () => void refreshed.there++ });
  here.announce();
  await waitFor(() => refreshed.here === 1 && refreshed.there === 1, { description: 'both gateways got the notice' });

  await nats.stopServer();
  expect(() => here.announce()).not.toThrow();
  await nats.startServer();
  await waitFor(
    () => {
      here.announce();
      return refreshed.there > 1;
    },
    { description: 'notices arrive again' },
  );
});
