import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccessNotices } from './notices.ts';

let nats: TestNats;

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats?.stop());

test('a notice has every gateway look for changes; without NATS it is lost and harms nothing', async () => {
  const refreshed = { here: 0, there: 0 };
  const here = createAccessNotices(nats.nats, { refresh: async () => void refreshed.here++ });
  createAccessNotices(nats.nats, { refresh: async () => void refreshed.there++ });
  here.announce();
  await waitFor(() => refreshed.here === 1 && refreshed.there === 1, { description: 'both were told' });

  await nats.stopServer();
  expect(() => here.announce()).not.toThrow();
  await nats.startServer();
  await waitFor(
    () => {
      here.announce();
      return refreshed.there > 1;
    },
    { description: 'notices come through again' },
  );
});
