import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliverMessages, getMessage, listMessages, receiveWebhook } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChannelProvider } from '../../src/channels/channel-provider.ts';
import { providers } from '../../src/channels/providers.ts';
import { connectChannel } from '../../src/connection/connect-channel.ts';
import { startMessaging, type TestMessaging } from '../messaging.ts';
import { acme } from './provider.ts';
import { type AcmeServer, startAcmeServer } from './server.ts';

// The example of docs/guides/adding-a-channel.md. Its code blocks are these files, and this test follows its steps.
const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/adding-a-channel.md'), 'utf8');
const [, migration = ''] = /```sql\n(.+?)```/s.exec(guide) ?? [];

const secrets = { access_token: 'token of the test', app_secret: 'secret of the test' };
let messaging: TestMessaging;
let server: AcmeServer;
let storeId: string;
beforeAll(async () => {
  (providers as Record<string, ChannelProvider>).acme = acme;
  messaging = await startMessaging();
  await messaging.adminSql.unsafe(migration);
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  storeId = randomUUID();
  server = await startAcmeServer(secrets.access_token);
});
afterEach(() => server.stop());

/** Calls the handler directly, because the contract does not list the example. */
async function connect(body: object = { phone: '15550100', secrets }) {
  const handle = connectChannel(messaging.dependencies);
  const context = { ...testContext({ storeId }), log: silentLog(), signal: new AbortController().signal };
  return (await handle(context as never, {
    body: { provider: 'acme', api_url: server.apiUrl, ...body } as never,
  })) as { channel_id: string; webhook_url: string | null };
}
async function send(text = 'Hello'): Promise<{ leadId: string; messageId: string }> {
  const leadId = messaging.crm.addLead(storeId, '5511900000000');
  await messaging.adminSql`
    insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0) on conflict do nothing`;
  const { id } = await messaging.send(storeId, leadId, text);
  return { leadId, messageId: id };
}
const deliver = (leadId: string) =>
  messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId }));
const read = ({ leadId, messageId }: { leadId: string; messageId: string }) =>
  messaging.rpc.call(getMessage, { params: { leadId, messageId } }, testContext({ storeId }));
function post(channelId: string, payload: object, secret = secrets.app_secret) {
  const bytes = Buffer.from(JSON.stringify(payload));
  const signature = createHmac('sha256', secret).update(bytes).digest('hex');
  const body = { channel_id: channelId, signature, payload_base64: bytes.toString('base64') };
  return messaging.rpc.call(receiveWebhook, { body }, testContext());
}

test.each(['adapter', 'payload', 'provider'])('the guide shows %s.ts as it runs here', (name) => {
  const source = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8').replaceAll('../../src/channels/', '../');
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
});

test('a connection without secrets is rejected with every missing member', async () => {
  await expect(connect({})).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: ['#/phone', '#/secrets/access_token', '#/secrets/app_secret'].map((pointer) => ({ pointer })) },
  });
});

test('a message is sent over the new provider, and a status update settles it', async () => {
  const { channel_id, webhook_url } = await connect();
  expect(webhook_url).toContain(`/channels/acme/${channel_id}/webhook`);
  const sent = await send('Hello');
  expect(await deliver(sent.leadId)).toMatchObject({ done: true });
  expect(server.accepted).toMatchObject([{ reference: sent.messageId, to: '5511900000000', text: 'Hello' }]);
  expect(await read(sent)).toMatchObject({ status: 'sent', provider_message_id: server.accepted[0]?.id });
  const statuses = [{ message_id: server.accepted[0]?.id, reference: sent.messageId, status: 'delivered' }];
  await post(channel_id, { statuses });
  await waitFor(async () => (await read(sent)).status === 'delivered', { description: 'delivered' });
});

test('a customer’s message is stored, and a webhook with a wrong signature is rejected', async () => {
  const { channel_id } = await connect();
  const payload = { messages: [{ id: 'in-1', from: '5511900000000', text: 'Good\0 morning' }, { id: 7 }] };
  await expect(post(channel_id, payload, 'wrong')).rejects.toMatchObject({ code: 'webhook_refused' });
  const leadId = messaging.crm.addLead(storeId, '5511900000000');
  await post(channel_id, payload);
  const list = () => messaging.rpc.call(listMessages, { params: { leadId }, query: {} }, testContext({ storeId }));
  await waitFor(async () => (await list()).data.length === 1, { description: 'stored' });
  expect((await list()).data).toMatchObject([{ direction: 'inbound', body: 'Good morning' }]);
});

test.each([
  [401, 'the channel needs attention (acme_401)', 'queued'],
  [429, 'the channel asked for a pause (acme_429)', 'queued'],
  [422, 'the queue is empty', 'failed'],
  [500, 'the queue is empty', 'unknown'],
])('an answer with HTTP %i has the consequence that the guide names', async (status, reason, messageStatus) => {
  await connect();
  server.status = status;
  const sent = await send();
  const next = await deliver(sent.leadId);
  expect(await read(sent)).toMatchObject({ status: messageStatus });
  expect(next.reason).toBe(reason);
});

test('a message is retried while the provider is unreachable', async () => {
  await connect();
  await server.stop();
  const sent = await send();
  expect(await deliver(sent.leadId)).toMatchObject({
    done: false,
    reason: expect.stringContaining('acme_unreachable'),
  });
  expect(await read(sent)).toMatchObject({ status: 'queued' });
  server = await startAcmeServer(secrets.access_token);
});
