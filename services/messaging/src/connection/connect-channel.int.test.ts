import { createHash, randomUUID } from 'node:crypto';
import { connectChannel, disconnectChannel, getChannelConnection, showChannel } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { publicUrl, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { openCredentials } from '../channels/credentials.ts';
import { appSecretsOf, type WhatsappCredentials } from '../channels/whatsapp/credentials.ts';

let messaging: TestMessaging;
let storeId: string;
beforeAll(async () => {
  messaging = await startMessaging();
});
beforeEach(() => {
  storeId = randomUUID();
});
afterAll(() => messaging?.stop());

type Body = Parameters<typeof messaging.rpc.call<typeof connectChannel>>[1]['body'];
const whatsapp = {
  provider: 'whatsapp_cloud',
  phone_number_id: '106540352242922',
  phone: '15550783881',
  secrets: { access_token: 'open-sesame', app_secret: 'first secret', verify_token: 'verify' },
} satisfies Body;
const connect = (body: Body) => messaging.rpc.call(connectChannel, { body }, testContext({ storeId }));
const disconnect = () => messaging.rpc.call(disconnectChannel, {}, testContext({ storeId }));
const show = () => messaging.rpc.call(showChannel, {}, testContext({ storeId }));
const rows = () => messaging.adminSql`select * from channels where store_id = ${storeId} order by disconnected_at`;

describe('WhatsApp', () => {
  test('is connected without a call to Meta, and the answer has the webhook URL', async () => {
    const { channel_id, ...connected } = await connect(whatsapp);
    expect(connected).toEqual({
      provider: 'whatsapp_cloud',
      webhook_url: `${publicUrl}/channels/whatsapp/${channel_id}/webhook`,
      sandbox_url: null,
    });
    expect(await show()).toEqual({
      ...{
        business_account_id: null,
        templates_synced_at: null,
        templates_error: null,
        history: null,
        number: null,
        free_service_messages: null,
      },
      channel_id,
      provider: 'whatsapp_cloud',
      status: 'connected',
      reason: null,
      phone: '15550783881',
      phone_number_id: '106540352242922',
      webhook_url: connected.webhook_url,
      sandbox_url: null,
      reply_window_minutes: null,
      last_error: null,
      next_check_at: null,
      connected_at: expect.any(String),
      messages_queued: 0,
      messages_unknown: 0,
      webhooks_failed: 0,
    });
    const connection = await messaging.rpc.call(getChannelConnection, {}, testContext({ storeId }));
    expect(connection).toMatchObject({ provider: 'whatsapp_cloud', status: 'connected', phone: '15550783881' });
  });

  test('stores its secrets encrypted and bound to their row', async () => {
    await connect(whatsapp);
    const [row] = await rows();
    expect(JSON.stringify(row)).not.toMatch(/sesame|first secret/);
    const { vault } = messaging.dependencies;
    expect(openCredentials(vault, storeId, row as never)).toEqual(whatsapp.secrets);
    const elsewhere = () => openCredentials(vault, randomUUID(), row as never);
    expect(elsewhere).toThrow(expect.objectContaining({ code: 'credentials_unreadable', kind: 'not_sent' }));
  });

  test('keeps its channel id for the same number, and the old app secret stays valid', async () => {
    const { channel_id } = await connect(whatsapp);
    await messaging.adminSql`
      update channels set status = 'needs_attention', last_error_code = 'whatsapp_190', last_error_detail = 'No.'
      where id = ${channel_id}`;
    expect(await show()).toMatchObject({ status: 'needs_attention', last_error: 'whatsapp_190: No.' });
    const again = await connect({ ...whatsapp, secrets: { ...whatsapp.secrets, app_secret: 'second secret' } });
    expect(again.channel_id).toBe(channel_id);
    expect(await show()).toMatchObject({ status: 'connected', last_error: null });
    const [row] = await rows();
    const credentials = openCredentials(messaging.dependencies.vault, storeId, row as never) as WhatsappCredentials;
    expect(appSecretsOf(credentials, Date.now())).toEqual(['second secret', 'first secret']);
  });

  test('loses its secrets when disconnected, and gets the same id when connected again', async () => {
    const { channel_id } = await connect(whatsapp);
    await disconnect();
    expect(await show()).toMatchObject({ channel_id: null, status: 'not_connected' });
    expect(await rows()).toMatchObject([{ sealed_credentials: null, disconnected_at: expect.any(Date) }]);
    await expect(disconnect()).rejects.toMatchObject({ code: 'channel_not_connected' });
    expect((await connect(whatsapp)).channel_id).toBe(channel_id);
    expect(await show()).toMatchObject({ status: 'connected' });
  });

  test('gets a new channel for another number, which replaces the first', async () => {
    const first = await connect(whatsapp);
    const second = await connect({ ...whatsapp, phone_number_id: '206540352242922' });
    expect(second.channel_id).not.toBe(first.channel_id);
    expect(await rows()).toMatchObject([
      { id: first.channel_id, sealed_credentials: null },
      { id: second.channel_id, disconnected_at: null },
    ]);
  });

  test('does not touch the channel of another store with the same number', async () => {
    const first = await connect(whatsapp);
    const firstStore = storeId;
    storeId = randomUUID();
    expect((await connect(whatsapp)).channel_id).not.toBe(first.channel_id);
    storeId = firstStore;
    expect(await show()).toMatchObject({ channel_id: first.channel_id, status: 'connected' });
  });
});

describe('the sandbox', () => {
  test('gets an address with a 256-bit token, which is stored as a hash and encrypted', async () => {
    const { channel_id, sandbox_url, webhook_url } = await connect({ provider: 'sandbox' });
    expect(webhook_url).toBeNull();
    const [, token] = new RegExp(`^${publicUrl}/sandbox/([A-Za-z0-9_-]{43})$`).exec(sandbox_url ?? '') ?? [];
    const [row] = await rows();
    expect(row?.sandbox_token_hash).toEqual(createHash('sha256').update(String(token)).digest());
    expect(JSON.stringify(row)).not.toContain(token);
    const again = await connect({ provider: 'sandbox', number_rate: 5000 });
    expect(again).toMatchObject({ channel_id, sandbox_url });
    expect(await rows()).toMatchObject([{ number_rate: 5000, pair_burst: 45, pair_interval_seconds: 6 }]);
  });

  test('keeps its address also after another channel or none, and gets a new one only on request', async () => {
    const { sandbox_url } = await connect({ provider: 'sandbox' });
    expect(await show()).toMatchObject({ sandbox_url });
    await connect(whatsapp);
    expect(await show()).toMatchObject({ sandbox_url: null });
    expect(await connect({ provider: 'sandbox' })).toMatchObject({ sandbox_url });
    await disconnect();
    expect(await connect({ provider: 'sandbox' })).toMatchObject({ sandbox_url });
    const rotated = await connect({ provider: 'sandbox', rotate: true });
    expect(rotated.sandbox_url).not.toBe(sandbox_url);
    expect(await connect({ provider: 'sandbox' })).toMatchObject({ sandbox_url: rotated.sandbox_url });
    await expect(connect({ ...whatsapp, rotate: true })).rejects.toMatchObject({
      members: { errors: [{ pointer: '#/rotate' }] },
    });
  });
});

test('concurrent connections leave exactly one channel connected', async () => {
  const bodies: Body[] = [{ provider: 'sandbox' }, whatsapp, { ...whatsapp, phone_number_id: '206540352242922' }];
  await Promise.all([...bodies, ...bodies].map(connect));
  const connected = await rows();
  expect(connected).toHaveLength(3);
  expect(connected.filter(({ disconnected_at }) => disconnected_at === null)).toHaveLength(1);
});
