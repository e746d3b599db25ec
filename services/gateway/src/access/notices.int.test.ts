import { accessChangedSubject } from '@mostrador/contracts';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hearAccessNotices } from './notices.ts';

let nats: TestNats;

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats?.stop());

test('a notice makes every gateway poll, also after NATS was away', async () => {
  const refreshed = { here: 0, there: 0 };
  hearAccessNotices(nats.nats, { refresh: async () => void refreshed.here++ });
  hearAccessNotices(nats.nats, { refresh: async () => void refreshed.there++ });
  nats.nats.publish(accessChangedSubject);
  await waitFor(() => refreshed.here === 1 && refreshed.there === 1, { description: 'both gateways got the notice' });

  await nats.stopServer();
  await nats.startServer();
  await waitFor(
    () => {
      nats.nats.publish(accessChangedSubject);
      return refreshed.there > 1;
    },
    { description: 'notices arrive again' },
  );
  expect(refreshed.here).toBeGreaterThan(1);
});
