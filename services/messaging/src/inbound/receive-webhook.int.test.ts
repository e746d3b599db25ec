import { randomUUID } from 'node:crypto';
import { connectChannel, disconnectChannel, verifyWebhook } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectWhatsapp, notification, receive, sign, textFrom, verifyToken } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const refused = { code: 'webhook_refused' };
const stored = async (channelId: string): Promise<string[]> => {
  const rows =
    await messaging.adminSql`select payload from inbound_payloads where channel_id = ${channelId} order by id`;
  return rows.map(({ payload }) => payload.toString('utf8'));
};
const verify = (channel_id: string, verify_token: string) =>
  messaging.rpc.call(verifyWebhook, { body: { channel_id, verify_token } }, testContext());

test('the challenge is accepted only with the verify token of this channel', async () => {
  const { channelId } = await connectWhatsapp(messaging, randomUUID());
  expect(await verify(channelId, verifyToken)).toEqual({ done: true });
  await expect(verify(channelId, `${verifyToken} `)).rejects.toMatchObject(refused);
  await expect(verify(channelId, '')).rejects.toMatchObject(refused);
  await expect(verify(randomUUID(), verifyToken)).rejects.toMatchObject(refused);
});

test('a signed payload is stored byte for byte before the answer', async () => {
  const { channelId } = await connectWhatsapp(messaging, randomUUID());
  const payload = '{ "entry": [],  "text": "\\u0000 \\ud800 ã" }';
  await receive(messaging, channelId, payload);
  expect(await stored(channelId)).toEqual([payload]);
});

test('a payload without a valid signature of this channel is rejected and not stored', async () => {
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, randomUUID());
  const payload = notification(phoneNumberId, textFrom('5511988887777', 'x'));
  for (const signature of ['', 'sha256=', sign(JSON.stringify(payload), 'another'), sign('other bytes')]) {
    await expect(receive(messaging, channelId, payload, { signature })).rejects.toMatchObject(refused);
  }
  expect(await stored(channelId)).toEqual([]);
});

test('after a rotation the previous app secret is still valid, and the one before it is not', async () => {
  const storeId = randomUUID();
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, storeId, { appSecret: 'first secret' });
  await connectWhatsapp(messaging, storeId, { phoneNumberId, appSecret: 'second secret' });
  for (const secret of ['first secret', 'second secret']) await receive(messaging, channelId, {}, { secret });
  expect((await connectWhatsapp(messaging, storeId, { phoneNumberId, appSecret: 'third secret' })).channelId).toBe(
    channelId,
  );
  for (const secret of ['second secret', 'third secret']) await receive(messaging, channelId, {}, { secret });
  await expect(receive(messaging, channelId, {}, { secret: 'first secret' })).rejects.toMatchObject(refused);
});

test('an unknown, disconnected or sandbox channel has no webhook', async () => {
  const storeId = randomUUID();
  await expect(receive(messaging, randomUUID(), {})).rejects.toMatchObject(refused);
  const { channelId } = await connectWhatsapp(messaging, storeId);
  await messaging.rpc.call(disconnectChannel, {}, testContext({ storeId }));
  await expect(receive(messaging, channelId, {})).rejects.toMatchObject(refused);
  const sandbox = await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, testContext({ storeId }));
  await expect(receive(messaging, sandbox.channel_id, {})).rejects.toMatchObject(refused);
});

test('a signed payload that is not JSON is stored', async () => {
  const { channelId } = await connectWhatsapp(messaging, randomUUID());
  await receive(messaging, channelId, '{"entry": [');
  expect(await stored(channelId)).toEqual(['{"entry": [']);
});

test('a body that is posted again is answered and stored once, and each channel has its own', async () => {
  const channels = await Promise.all([1, 2].map(() => connectWhatsapp(messaging, randomUUID())));
  const payload = notification('106540352242922', textFrom('5511988887777', 'x'));
  for (const { channelId } of channels) {
    await Promise.all(Array.from({ length: 10 }, () => receive(messaging, channelId, payload)));
    await receive(messaging, channelId, payload);
    await receive(messaging, channelId, { ...payload, another: true });
    expect(await stored(channelId)).toHaveLength(2);
  }
});

test('concurrent payloads are stored in the order of arrival, and a wrong signature rejects only its own', async () => {
  const { channelId } = await connectWhatsapp(messaging, randomUUID());
  const payloads = Array.from({ length: 40 }, (_, number) => JSON.stringify({ entry: [], number }));
  const answers = await Promise.allSettled(
    payloads.map((payload, number) =>
      receive(messaging, channelId, payload, number === 7 ? { signature: sign('other bytes') } : {}),
    ),
  );
  expect(answers.flatMap(({ status }, number) => (status === 'rejected' ? [number] : []))).toEqual([7]);
  expect(await stored(channelId)).toEqual(payloads.toSpliced(7, 1));
});
