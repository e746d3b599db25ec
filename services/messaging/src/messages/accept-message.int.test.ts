import { randomUUID } from 'node:crypto';
import { acceptMessage, type RequestOf } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notification, textFrom } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

type Body = RequestOf<typeof acceptMessage>['body'];
const accept = (storeId: string, lead_id: string, body: Partial<Body> = {}) =>
  messaging.rpc.call(
    acceptMessage,
    { body: { id: randomUUID(), lead_id, source: 'followup', message: 'Tudo bem?', ...body } },
    testContext({ storeId }),
  );
const newLead = async (provider: 'sandbox' | 'whatsapp_cloud' = 'sandbox', conversation = {}) => {
  const storeId = randomUUID();
  await messaging.addChannel(storeId, provider);
  const leadId = messaging.crm.addLead(storeId);
  const { adminSql } = messaging;
  await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: leadId, ...conversation })}`;
  return { storeId, leadId };
};
const messagesOf = (storeId: string) => messaging.adminSql`select * from messages where store_id = ${storeId}`;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const template = { name: 'reminder', language: 'pt_BR', components: [{ type: 'body', parameters: [] }] };

test('a message of another service is accepted under its id, answered at once, and goes out like any other', async () => {
  const { storeId, leadId } = await newLead();
  const id = randomUUID();
  expect(await accept(storeId, leadId, { id, template })).toEqual({ id, status: 'queued', error: null });
  expect(await messagesOf(storeId)).toMatchObject([
    { id, lead_id: leadId, source: 'followup', body: 'Tudo bem?', template, number: '1', status: 'queued' },
  ]);
  expect(await messaging.wakeUps(storeId)).toMatchObject([{ entity_id: leadId, signal: 'message_accepted' }]);
});

test('fifty times with one id it is accepted once, and each answer says what has become of it', async () => {
  const { storeId, leadId } = await newLead();
  const id = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, () => accept(storeId, leadId, { id })));
  expect(answers).toEqual(answers.map(() => ({ id, status: 'queued', error: null })));
  expect(await messagesOf(storeId)).toHaveLength(1);
  expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  await messaging.adminSql`
    update messages set status = 'failed', error_code = '131026', error_detail = 'Undeliverable' where id = ${id}`;
  expect(await accept(storeId, leadId, { id })).toEqual({
    id,
    status: 'failed',
    error: { code: '131026', detail: 'Undeliverable' },
  });
});

test('what was accepted is answered as it is, though it would be refused by now', async () => {
  const { storeId, leadId } = await newLead();
  const id = randomUUID();
  await accept(storeId, leadId, { id });
  await messaging.adminSql`update conversations set opted_out_at = now() where store_id = ${storeId}`;
  await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
  expect(await accept(storeId, leadId, { id })).toMatchObject({ id, status: 'queued' });
});

describe('an answer that may wait', () => {
  const settle = (id: string) => {
    const { adminSql } = messaging;
    return adminSql`update messages set status = 'sent', sent_at = now() where id = ${id}`;
  };

  test('comes with what has become of the message as soon as that is known', async () => {
    const { storeId, leadId } = await newLead();
    const id = randomUUID();
    const answer = accept(storeId, leadId, { id, wait_ms: 5_000 });
    const { outcomes } = messaging.dependencies;
    await waitFor(() => outcomes.waiting() === 1, { description: 'it waits' });
    await waitFor(async () => (await messagesOf(storeId)).length === 1, { description: 'it is accepted' });
    await settle(id);
    outcomes.announce(id);
    expect(await answer).toEqual({ id, status: 'sent', error: null });
    expect(await accept(storeId, leadId, { id, wait_ms: 5_000 })).toMatchObject({ status: 'sent' });
  });

  test('comes when the wait is over, with what is known then', async () => {
    const { storeId, leadId } = await newLead();
    const id = randomUUID();
    expect(await accept(storeId, leadId, { id, wait_ms: 50 })).toEqual({ id, status: 'queued', error: null });
    expect(messaging.dependencies.outcomes.waiting()).toBe(0);
  });
});

describe('a reply that is stored and not processed yet', () => {
  const phoneNumberId = '106540352242922';
  const planned = ago(60);
  /** Posted and answered; no processor has come to it. */
  const store = async (
    storeId: string,
    customers: readonly string[],
    content: object,
    columns: { received_at?: Date; processed_at?: Date; attempts?: number } = {},
  ) => {
    const { adminSql } = messaging;
    // The payload came over WhatsApp; the channel that is live now has no reply window.
    const [channel] = await adminSql`
      insert into channels (store_id, provider, phone_number_id, disconnected_at)
      values (${storeId}, 'whatsapp_cloud', ${phoneNumberId}, now()) returning id`;
    const payload = Buffer.from(JSON.stringify(notification(phoneNumberId, content)));
    // As what failed before, so that the service under test leaves it alone.
    const next_attempt_at = new Date(Date.now() + 3_600_000);
    const row = { store_id: storeId, channel_id: channel?.id, payload, customers: [...customers], next_attempt_at };
    await adminSql`insert into inbound_payloads ${adminSql({ ...row, ...columns })}`;
    return channel?.id as string;
  };
  const attempt = (storeId: string, leadId: string) =>
    accept(storeId, leadId, { unless_reply_after: planned.toISOString() }).then(
      ({ status }) => status,
      ({ code }) => code as string,
    );
  const leadWith = async (options: { phone: string; wa_id?: string }) => {
    const storeId = randomUUID();
    await messaging.addChannel(storeId, 'sandbox');
    const leadId = messaging.crm.addLead(storeId, options.phone);
    if (options.wa_id) {
      const { adminSql } = messaging;
      await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: leadId, wa_id: options.wa_id })}`;
    }
    return { storeId, leadId };
  };

  test.each([
    ['of the id that the channel knows the lead by', { phone: '5511900000001', wa_id: '551190000001' }, '551190000001'],
    ['of the phone, before the channel has an id for it', { phone: '5511900000002' }, '5511900000002'],
    ['of the phone, though the id is another', { phone: '5511900000003', wa_id: '551190000003' }, '5511900000003'],
  ])('%s: the follow-up is refused', async (_, lead, from) => {
    const { storeId, leadId } = await leadWith(lead);
    await store(storeId, [from], textFrom(from, 'Olá'));
    expect(await attempt(storeId, leadId)).toBe('lead_replied');
    expect(await messagesOf(storeId)).toEqual([]);
  });

  test.each([
    ['a stop word', ['stop'], 'lead_opted_out'],
    ['a stop word, taken back', ['stop', 'start'], 'queued'],
    ['a stop word behind something else', ['start', 'Sair!', 'Obrigado'], 'lead_opted_out'],
    ['anything else', ['Stop by tomorrow?'], 'queued'],
  ] as const)('%s: what holds for a follow-up that goes out whatever the lead writes', async (_, texts, outcome) => {
    const phone = '5511900000010';
    const { storeId, leadId } = await leadWith({ phone });
    for (const [index, text] of texts.entries())
      await store(storeId, [phone], textFrom(phone, text, { id: `wamid.${index}` }));
    const answer = await accept(storeId, leadId).then(
      ({ status }) => status,
      ({ code }) => code as string,
    );
    expect(answer).toBe(outcome);
    expect(await accept(storeId, leadId, { source: 'seller' })).toMatchObject({ status: 'queued' });
  });

  test('a lead that has opted out and writes to be let in again is', async () => {
    const phone = '5511900000011';
    const { storeId, leadId } = await leadWith({ phone, wa_id: phone });
    await messaging.adminSql`update conversations set opted_out_at = now() where store_id = ${storeId}`;
    await expect(accept(storeId, leadId)).rejects.toMatchObject({ code: 'lead_opted_out' });
    await store(storeId, [phone], textFrom(phone, 'voltar'));
    expect(await accept(storeId, leadId)).toMatchObject({ status: 'queued' });
  });

  test('one that fails again and again counts too', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000004' });
    await store(storeId, ['5511900000004'], textFrom('5511900000004', 'Olá'), { attempts: 3 });
    expect(await attempt(storeId, leadId)).toBe('lead_replied');
  });

  test('what came before the follow-up was planned, is processed, or is another customer’s does not count', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000005' });
    const reply = textFrom('5511900000005', 'Olá');
    await store(storeId, ['5511900000005'], reply, { received_at: new Date(planned.getTime() - 1000) });
    await store(storeId, ['5511900000005'], reply, { processed_at: new Date() });
    await store(storeId, ['5511900000006'], textFrom('5511900000006', 'Olá'));
    expect(await attempt(storeId, leadId)).toBe('queued');
  });

  test('what the channel posts a second time, or brings a day late, is no reply', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000007', wa_id: '5511900000007' });
    await store(storeId, ['5511900000007'], textFrom('5511900000007', 'Olá', { at: ago(25 * 3600) }));
    const again = textFrom('5511900000007', 'Olá', { id: 'wamid.again' });
    const channelId = await store(storeId, ['5511900000007'], again);
    const { adminSql } = messaging;
    const at = ago(120);
    const [session] = await adminSql`
      insert into sessions ${adminSql({ store_id: storeId, lead_id: leadId, started_at: at, last_message_at: at })} returning id`;
    const inbound = { direction: 'inbound', source: 'lead', status: 'received', body: 'Olá', created_at: at };
    const names = { store_id: storeId, lead_id: leadId, session_id: session?.id, channel_id: channelId };
    await adminSql`insert into messages ${adminSql({ ...names, ...inbound, number: 0, provider_message_id: 'wamid.again' })}`;
    expect(await attempt(storeId, leadId)).toBe('queued');
  });

  test('a phone that the channel knows as another lead’s id counts for that one', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000008' });
    const other = messaging.crm.addLead(storeId, '5511900000009');
    const { adminSql } = messaging;
    await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: other, wa_id: '5511900000008' })}`;
    await store(storeId, ['5511900000008'], textFrom('5511900000008', 'Olá'));
    expect(await attempt(storeId, leadId)).toBe('queued');
    expect(await attempt(storeId, other)).toBe('lead_replied');
  });
});

describe('refusals', () => {
  const refused = async (accepting: Promise<unknown>, code: string) =>
    await expect(accepting).rejects.toMatchObject({ code });

  test('a follow-up goes out although the customer answered: it does not', async () => {
    const { storeId, leadId } = await newLead('sandbox', { last_inbound_at: ago(10) });
    const planned = (at: Date) => accept(storeId, leadId, { unless_reply_after: at.toISOString() });
    await refused(planned(ago(11)), 'lead_replied');
    expect(await messagesOf(storeId)).toEqual([]);
    expect(await planned(ago(9))).toMatchObject({ status: 'queued' });
  });

  test('a lead that has opted out gets nothing of the machine, and what a seller writes', async () => {
    const { storeId, leadId } = await newLead('sandbox', { opted_out_at: ago(10) });
    await refused(accept(storeId, leadId, { source: 'ai' }), 'lead_opted_out');
    await refused(accept(storeId, leadId, { source: 'followup' }), 'lead_opted_out');
    expect(await accept(storeId, leadId, { source: 'seller' })).toMatchObject({ status: 'queued' });
  });

  test('a closed window refuses text, and takes a template', async () => {
    const { storeId, leadId } = await newLead('whatsapp_cloud', { last_inbound_at: ago(24 * 3600) });
    await refused(accept(storeId, leadId), 'messaging_window_closed');
    expect(await accept(storeId, leadId, { template })).toMatchObject({ status: 'queued' });
  });

  test('of several reasons the first is told: no channel, opted out, replied, window closed', async () => {
    const { storeId, leadId } = await newLead('whatsapp_cloud', { opted_out_at: ago(9), last_inbound_at: ago(90_000) });
    const all = () => accept(storeId, leadId, { unless_reply_after: ago(99_999).toISOString() });
    await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
    await refused(all(), 'channel_not_connected');
    await messaging.addChannel(storeId, 'whatsapp_cloud');
    await refused(all(), 'lead_opted_out');
    await messaging.adminSql`update conversations set opted_out_at = null where store_id = ${storeId}`;
    await refused(all(), 'lead_replied');
    await refused(accept(storeId, leadId), 'messaging_window_closed');
    expect(await messagesOf(storeId)).toEqual([]);
  });

  test('a lead that does not exist', async () => {
    await refused(accept(randomUUID(), randomUUID()), 'lead_not_found');
  });
});
