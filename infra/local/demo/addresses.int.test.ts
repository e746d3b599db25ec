import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showCalendar, showChannel } from '../../../packages/contracts/src/index.ts';
import { createRpcServer, type RpcServer } from '../../../packages/kit/src/rpc/server.ts';
import { silentLog } from '../../../packages/testing/src/context.ts';
import { startTestNats, type TestNats } from '../../../packages/testing/src/servers/nats.ts';
import { withAddresses } from './addresses.ts';

let server: TestNats;
let served: RpcServer;
const calendar = { provider: 'feed' as 'feed' | 'caldav', feed_url: 'new feed' as string | null };
const channel = { provider: 'sandbox' as 'sandbox' | null, sandbox_url: 'new telephone' as string | null };
const pro = { id: randomUUID(), name: 'Pro', tier: 'pro' as const, api_key: 'key' };
const known = { stores: [pro], feed_url: 'old feed', sandbox_url: 'old telephone' };

beforeAll(async () => {
  server = await startTestNats();
  const none = { phone: null, phone_number_id: null, webhook_url: null, channel_id: null, reply_window_minutes: null };
  const shared = { status: 'connected' as const, last_error: null, connected_at: null };
  served = createRpcServer({
    nats: server.nats,
    service: 'stand-in',
    log: silentLog(),
    operations: { showCalendar, showChannel },
    handlers: {
      showCalendar: async () => ({
        ...shared,
        ...calendar,
        ...{ url: null, username: null, calendar_id: null, show_customer: false },
        ...{ appointments_pending: 0, appointments_failing: 0, appointments_needing_attention: 0 },
      }),
      showChannel: async () => ({
        ...{ ...shared, ...none, ...channel },
        ...{ messages_queued: 0, messages_unknown: 0, webhooks_failed: 0 },
      }),
    },
  });
  await server.nats.flush();
});
afterAll(async () => {
  await served?.drain();
  await server?.stop();
});

const addresses = async () => {
  const { stores, ...addresses } = await withAddresses(known, { natsUrl: server.url, log: silentLog() });
  expect(stores).toBe(known.stores);
  return addresses;
};

test('a start announces the addresses of what is connected now', async () => {
  expect(await addresses()).toEqual({ feed_url: 'new feed', sandbox_url: 'new telephone' });
  Object.assign(calendar, { provider: 'caldav', feed_url: null });
  Object.assign(channel, { provider: null, sandbox_url: null });
  expect(await addresses()).toEqual({ feed_url: null, sandbox_url: null });
});
