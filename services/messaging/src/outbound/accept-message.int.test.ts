import { randomUUID } from 'node:crypto';
import { acceptMessage, type RequestOf } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { contents, echoPayload, standbyPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notification, textFrom, withoutPhone } from '../../test/inbound-webhook.ts';
import { shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';

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

test('a message of another service is accepted under its id, answered at once and queued', async () => {
  const { storeId, leadId } = await newLead();
  const id = randomUUID();
  expect(await accept(storeId, leadId, { id, template })).toEqual({ id, status: 'queued', error: null });
  expect(await messagesOf(storeId)).toMatchObject([
    { id, lead_id: leadId, source: 'followup', body: 'Tudo bem?', template, number: '1', status: 'queued' },
  ]);
  expect(await messaging.wakeUps(storeId)).toMatchObject([
    { entity_id: shardIdOf(storeId), signal: 'message_accepted' },
  ]);
});

test('fifty requests with one id accept one message, and each answer has its status', async () => {
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

test('a repeated request for an accepted message is answered, even if a new one would be rejected', async () => {
  const { storeId, leadId } = await newLead();
  const id = randomUUID();
  await accept(storeId, leadId, { id });
  await messaging.adminSql`update conversations set opted_out_at = now() where store_id = ${storeId}`;
  await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
  expect(await accept(storeId, leadId, { id })).toMatchObject({ id, status: 'queued' });
});

describe('a request with `expires_at`', () => {
  const expiring = (id: string, seconds: number) => ({ id, expires_at: ago(-seconds).toISOString() });

  test('is rejected once that has come, before anything else, and leaves nothing', async () => {
    const { storeId, leadId } = await newLead();
    await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
    await expect(accept(storeId, leadId, expiring(randomUUID(), -1))).rejects.toMatchObject({
      code: 'message_expired',
    });
    expect(await messagesOf(storeId)).toEqual([]);
  });

  test('cancels its message that still waits then, says why, and lets the messages behind it go', async () => {
    const { storeId, leadId } = await newLead();
    const id = randomUUID();
    expect(await accept(storeId, leadId, expiring(id, 60))).toMatchObject({ status: 'queued', error: null });
    const answer = { id, status: 'cancelled', error: { code: 'message_expired', detail: expect.any(String) } };
    expect(await accept(storeId, leadId, expiring(id, -1))).toEqual(answer);
    expect(await accept(storeId, leadId, expiring(id, -1))).toEqual(answer);
    expect(await messaging.events(storeId)).toMatchObject([
      { topic: 'messaging.session.started' },
      { topic: 'messaging.message.cancelled', data: { message_id: id, source: 'followup' } },
    ]);
    expect(await messaging.wakeUps(storeId)).toMatchObject([
      { signal: 'message_accepted' },
      { signal: 'message_settled' },
    ]);
  });

  test('leaves a message as it is that is no longer queued', async () => {
    for (const status of ['sending', 'unknown', 'sent']) {
      const { storeId, leadId } = await newLead();
      const id = randomUUID();
      await accept(storeId, leadId, expiring(id, 60));
      await messaging.adminSql`update messages set status = ${status} where id = ${id}`;
      expect(await accept(storeId, leadId, expiring(id, -1))).toEqual({ id, status, error: null });
    }
  });
});

describe('a request with `wait_ms`', () => {
  const settle = (id: string) => {
    const { adminSql } = messaging;
    return adminSql`update messages set status = 'sent', sent_at = now() where id = ${id}`;
  };

  test('is answered as soon as the outcome is known', async () => {
    const { storeId, leadId } = await newLead();
    const id = randomUUID();
    const answer = accept(storeId, leadId, { id, wait_ms: 5_000 });
    const { outcomes } = messaging.dependencies;
    await waitFor(() => outcomes.waiting() === 1, { description: 'the request waits' });
    await waitFor(async () => (await messagesOf(storeId)).length === 1, { description: 'the message is accepted' });
    await settle(id);
    outcomes.announce(id);
    expect(await answer).toEqual({ id, status: 'sent', error: null });
    expect(await accept(storeId, leadId, { id, wait_ms: 5_000 })).toMatchObject({ status: 'sent' });
  });

  test('is answered with the current status when the wait ends', async () => {
    const { storeId, leadId } = await newLead();
    const id = randomUUID();
    expect(await accept(storeId, leadId, { id, wait_ms: 50 })).toEqual({ id, status: 'queued', error: null });
    expect(messaging.dependencies.outcomes.waiting()).toBe(0);
  });
});

describe('a reply that is stored but not processed yet', () => {
  const phoneNumberId = '106540352242922';
  const planned = ago(60);
  /** Stores a payload as a webhook does. The processor does not handle it. */
  const store = async (
    storeId: string,
    customers: readonly string[],
    content: object,
    columns: { received_at?: Date; processed_at?: Date; attempts?: number; payload?: Buffer } = {},
  ) => {
    const { adminSql } = messaging;
    // The payload came over WhatsApp. The live channel is the sandbox, which has no reply window.
    const [channel] = await adminSql`
      insert into channels (store_id, provider, phone_number_id, disconnected_at)
      values (${storeId}, 'whatsapp_cloud', ${phoneNumberId}, now()) returning id`;
    const payload = Buffer.from(JSON.stringify(notification(phoneNumberId, content)));
    // Due in an hour, like a failed payload, so that the service under test does not process it.
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
    ['under the channel’s id of the lead', { phone: '5511900000001', wa_id: '551190000001' }, '551190000001'],
    ['under the phone, before the channel’s id is known', { phone: '5511900000002' }, '5511900000002'],
    [
      'under the phone, although the channel’s id differs',
      { phone: '5511900000003', wa_id: '551190000003' },
      '5511900000003',
    ],
    ['without the ninth digit of the phone', { phone: '5511987654321' }, '551187654321'],
    [
      'with the ninth digit, although phone and channel’s id have none',
      { phone: '551187654322', wa_id: '551187654322' },
      '5511987654322',
    ],
  ])('%s rejects the follow-up', async (_, lead, from) => {
    const { storeId, leadId } = await leadWith(lead);
    await store(storeId, [from], textFrom(from, 'Olá'));
    expect(await attempt(storeId, leadId)).toBe('lead_replied');
    expect(await messagesOf(storeId)).toEqual([]);
  });

  test('under a business-scoped id of the lead rejects the follow-up', async () => {
    const phone = '5511900000012';
    const { storeId, leadId } = await leadWith({ phone, wa_id: phone });
    const { adminSql } = messaging;
    await adminSql`insert into customer_user_ids ${adminSql({ store_id: storeId, user_id: 'BR.12', lead_id: leadId })}`;
    await store(storeId, ['BR.12'], withoutPhone(textFrom(phone, 'Olá'), 'BR.12'));
    expect(await attempt(storeId, leadId)).toBe('lead_replied');
  });

  test.each([
    ['a stop word', ['stop'], 'lead_opted_out'],
    ['a stop word and then a start word', ['stop', 'start'], 'queued'],
    ['a stop word after a start word', ['start', 'Sair!', 'Obrigado'], 'lead_opted_out'],
    ['another text', ['Stop by tomorrow?'], 'queued'],
  ] as const)('with %s also decides about a follow-up without `unless_reply_after`', async (_, texts, outcome) => {
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

  test('with a start word lets a lead that has opted out get follow-ups again', async () => {
    const phone = '5511900000011';
    const { storeId, leadId } = await leadWith({ phone, wa_id: phone });
    await messaging.adminSql`update conversations set opted_out_at = now() where store_id = ${storeId}`;
    await expect(accept(storeId, leadId)).rejects.toMatchObject({ code: 'lead_opted_out' });
    await store(storeId, [phone], textFrom(phone, 'voltar'));
    expect(await accept(storeId, leadId)).toMatchObject({ status: 'queued' });
  });

  describe('reply from the phone unseen: an echo', () => {
    const phone = '5511900000020';
    const number = { phoneNumberId, phone: '5511400000000' };
    const echoed = async (
      { echo = (payload: object) => payload, text = 'Já respondo', secondsAgo = 5 },
      columns: object = {},
    ) => {
      const { storeId, leadId } = await leadWith({ phone, wa_id: phone });
      const { adminSql } = messaging;
      await adminSql`update conversations set ${adminSql({ customer_wrote_at: ago(2), ...columns })} where store_id = ${storeId}`;
      const told = echo(echoPayload(number, { phone }, contents.text(text), { at: ago(secondsAgo) }));
      const channelId = await store(storeId, [phone], {}, { payload: Buffer.from(JSON.stringify(told)) });
      const writes = (more: object = {}) =>
        accept(storeId, leadId, { id: randomUUID(), source: 'ai', ...more }).then(
          ({ status }) => status,
          ({ code }) => code as string,
        );
      return { storeId, leadId, channelId, writes };
    };

    test('rejects what the AI writes, also when the lead has written since, and nothing else', async () => {
      const { writes } = await echoed({});
      expect(await writes()).toBe('ai_paused');
      expect(await writes({ hands_over: true })).toBe('ai_paused');
      expect(await writes({ source: 'followup' })).toBe('queued');
      expect(await writes({ source: 'seller' })).toBe('queued');
    });

    test.each([
      ['whose pause is over', { secondsAgo: 13 * 3600 }],
      ['that was delayed for a day', { secondsAgo: 25 * 3600 }],
      ['of an agent of the channel from before what the lead wrote last', { echo: standbyPayload as () => object }],
    ])('%s rejects nothing', async (_, told) => {
      expect(await (await echoed(told)).writes()).toBe('queued');
    });

    test('of an agent of the channel that has the conversation rejects it, too', async () => {
      const { writes } = await echoed({ echo: standbyPayload as () => object }, { customer_wrote_at: ago(30) });
      expect(await writes()).toBe('ai_paused');
    });

    test('of a message of our own that is being sent rejects nothing, and one that may be is waited for', async () => {
      // An echo comes after its message.
      const { storeId, channelId, writes } = await echoed({ text: 'Lembrete', secondsAgo: -5 });
      expect(await writes({ source: 'followup', message: 'Lembrete' })).toBe('queued');
      const { adminSql } = messaging;
      const set = (columns: object) => adminSql`update messages set ${adminSql(columns)} where store_id = ${storeId}`;
      await set({ status: 'sending', channel_id: channelId, lease_token: randomUUID(), lease_until: ago(-60) });
      expect(await writes()).toBe('queued');
      await adminSql`update messages set body = 'Olá' where store_id = ${storeId} and status = 'sending'`;
      expect(await writes()).toBe('service_unavailable');
      // Nor is it the echo of another kind of message.
      await adminSql`update messages set body = 'Lembrete', kind = 'image' where store_id = ${storeId} and status = 'sending'`;
      expect(await writes()).toBe('service_unavailable');
    });
  });

  test('rejects the follow-up even when its payload fails repeatedly', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000004' });
    await store(storeId, ['5511900000004'], textFrom('5511900000004', 'Olá'), { attempts: 3 });
    expect(await attempt(storeId, leadId)).toBe('lead_replied');
  });

  test('does not count if it is older than the follow-up’s plan, processed, or another customer’s', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000005' });
    const reply = textFrom('5511900000005', 'Olá');
    await store(storeId, ['5511900000005'], reply, { received_at: new Date(planned.getTime() - 1000) });
    await store(storeId, ['5511900000005'], reply, { processed_at: new Date() });
    await store(storeId, ['5511900000006'], textFrom('5511900000006', 'Olá'));
    expect(await attempt(storeId, leadId)).toBe('queued');
  });

  test('does not count if it is a duplicate or arrives a day late', async () => {
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

  test('counts for the lead whose channel id is the sender, not for the lead with that phone', async () => {
    const { storeId, leadId } = await leadWith({ phone: '5511900000008' });
    const other = messaging.crm.addLead(storeId, '5511900000009');
    const { adminSql } = messaging;
    await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: other, wa_id: '5511900000008' })}`;
    await store(storeId, ['5511900000008'], textFrom('5511900000008', 'Olá'));
    expect(await attempt(storeId, leadId)).toBe('queued');
    expect(await attempt(storeId, other)).toBe('lead_replied');
  });
});

describe('rejections', () => {
  const refused = async (accepting: Promise<unknown>, code: string) =>
    await expect(accepting).rejects.toMatchObject({ code });

  test('a follow-up is rejected when the customer replied after it was planned', async () => {
    const { storeId, leadId } = await newLead('sandbox', { last_inbound_at: ago(10) });
    const planned = (at: Date) => accept(storeId, leadId, { unless_reply_after: at.toISOString() });
    await refused(planned(ago(11)), 'lead_replied');
    expect(await messagesOf(storeId)).toEqual([]);
    expect(await planned(ago(9))).toMatchObject({ status: 'queued' });
  });

  test('an AI message or a follow-up after an opt-out is rejected, but not a seller’s message', async () => {
    const { storeId, leadId } = await newLead('sandbox', { opted_out_at: ago(10) });
    await refused(accept(storeId, leadId, { source: 'ai' }), 'lead_opted_out');
    await refused(accept(storeId, leadId, { source: 'followup' }), 'lead_opted_out');
    expect(await accept(storeId, leadId, { source: 'seller' })).toMatchObject({ status: 'queued' });
  });

  test('free text outside of the reply window is rejected, but not a template', async () => {
    const { storeId, leadId } = await newLead('whatsapp_cloud', { last_inbound_at: ago(24 * 3600) });
    await refused(accept(storeId, leadId), 'messaging_window_closed');
    expect(await accept(storeId, leadId, { template })).toMatchObject({ status: 'queued' });
  });

  test('the first reason that applies is given: no channel, opted out, replied, window closed', async () => {
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

  test('a message to a lead that does not exist is rejected', async () => {
    await refused(accept(randomUUID(), randomUUID()), 'lead_not_found');
  });
});
