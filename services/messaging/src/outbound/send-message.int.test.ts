import { randomUUID } from 'node:crypto';
import {
  checkTemplate,
  connectChannel,
  getMessage,
  type MessageTemplate,
  sendMessage,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { longMs, shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

type Options = Parameters<typeof testContext>[0];
type Body = { message?: string; template?: MessageTemplate; metadata?: Record<string, string | null> | null };
const hello: Body = { message: 'Olá' };

const post = async (leadId: string, options: Options, body: Body = hello) => {
  const context = testContext({ body, idempotencyScope: `POST /leads/${leadId}/messages`, ...options });
  const { body: bytes, headers } = await messaging.rpc.forward(sendMessage, { params: { leadId }, body }, context);
  const text = Buffer.from(bytes).toString();
  return { text, answer: JSON.parse(text), replayed: headers.replayed };
};
const waitSeconds = (storeId: string, message_wait_seconds: number) =>
  messaging.rpc.call(updateMessagingSettings, { body: { message_wait_seconds } }, testContext({ storeId }));
/** A store with a sandbox channel and a wait of 0 s unless given, and a lead of it. */
const newLead = async ({ wait = 0 }: { wait?: number | 'long' } = {}) => {
  const storeId = randomUUID();
  await messaging.addChannel(storeId);
  await (wait === 'long' ? messaging.waitLong(storeId) : waitSeconds(storeId, wait));
  return { storeId, leadId: messaging.crm.addLead(storeId) };
};
/** The context of a request that may wait for an outcome as long as the store lets it. */
const patient = (storeId: string) => ({ storeId, timeoutMs: longMs });
const messagesOf = (storeId: string) => messaging.adminSql`
  select * from messages where store_id = ${storeId} order by lead_id, number`;
/** Records an outcome, as the delivery does. */
const record = async (id: string, status: string, error: { code: string; detail: string } | null = null) => {
  await messaging.adminSql`
    update messages set status = ${status}, error_code = ${error?.code ?? null}, error_detail = ${error?.detail ?? null}
    where id = ${id}`;
  messaging.dependencies.outcomes.announce(id);
};
const accepted = (storeId: string, count = 1) =>
  waitFor(
    async () => {
      const rows = await messagesOf(storeId);
      return rows.length === count && rows;
    },
    { description: `${count} accepted` },
  );

describe('acceptance', () => {
  test('a message that a person sends has the source `seller`', async () => {
    const { storeId, leadId } = await newLead();
    const person = { userId: randomUUID(), role: 'owner', sellerId: null } as const;
    await post(leadId, { storeId, person });
    expect(await messagesOf(storeId)).toMatchObject([{ source: 'seller' }]);
  });

  test('a message is queued with source `api` in the session that it opens, and the delivery is woken', async () => {
    const { storeId, leadId } = await newLead();
    const { answer } = await post(leadId, { storeId }, { message: ' Olá \n' });
    expect(answer).toEqual({ sent: false, id: expect.any(String), status: 'queued', error: null });
    const [session] = await messaging.adminSql`select * from sessions where store_id = ${storeId}`;
    expect(await messagesOf(storeId)).toMatchObject([
      {
        id: answer.id,
        lead_id: leadId,
        session_id: session?.id,
        number: '1',
        direction: 'outbound',
        source: 'api',
        body: 'Olá',
        status: 'queued',
      },
    ]);
    expect(session).toMatchObject({ lead_id: leadId, status: 'active', ended_at: null });
    expect(await messaging.wakeUps(storeId)).toEqual([
      { entity_id: shardIdOf(storeId), lead_id: null, signal: 'message_accepted' },
    ]);
    expect(await messaging.events(storeId)).toEqual([
      { topic: 'messaging.session.started', data: { session_id: session?.id, lead_id: leadId } },
    ]);
  });

  test.each([
    { ends: false, sessions: 1 },
    { ends: true, sessions: 2 },
  ])('a message that waits for its session sees what has become of it: %j', async ({ ends, sessions }) => {
    const { storeId, leadId } = await newLead();
    await post(leadId, { storeId });
    const { adminSql } = messaging;
    const sent = await adminSql.begin(async (sql) => {
      await sql`
        update sessions set last_message_at = clock_timestamp() ${ends ? sql`, status = 'ended', ended_at = now()` : sql``}
        where store_id = ${storeId}`;
      const sending = post(leadId, { storeId });
      const waits = () => adminSql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%sessions%'`;
      await waitFor(async () => (await waits()).length > 0, { description: 'the message to wait' });
      // In an object, because this transaction must not wait for the message.
      return { sending };
    });
    await sent.sending;
    const rows = await messagesOf(storeId);
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map(({ session_id }) => session_id)).size).toBe(sessions);
    expect(await adminSql`select id from sessions where store_id = ${storeId} and status = 'active'`).toEqual([
      { id: rows[1]?.session_id },
    ]);
  });

  test('the feed has the session and the queued message as the API shows it, and nothing of a rejected one', async () => {
    const { storeId, leadId } = await newLead();
    const { id: messageId } = (await post(leadId, { storeId }, { ...hello, metadata: { order: '7' } })).answer;
    await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
    await expect(post(leadId, { storeId })).rejects.toMatchObject({ code: 'channel_not_connected' });
    const params = { leadId, messageId };
    const object = await messaging.rpc.call(getMessage, { params }, testContext({ storeId }));
    const { session_id } = object;
    const ids = { message_id: messageId, lead_id: leadId, session_id, source: 'api', status: 'queued' };
    expect(await messaging.feed(storeId)).toMatchObject([
      {
        type: 'session.started',
        entity_id: session_id,
        data: { session_id, lead_id: leadId, object: { ended_at: null } },
      },
      { type: 'message.queued', entity_id: messageId, data: { ...ids, object } },
    ]);
  });

  test('a lead has one queue, whatever the spelling of its id in the request', async () => {
    const { storeId, leadId } = await newLead();
    await post(leadId.toUpperCase(), { storeId });
    await post(leadId, { storeId });
    expect(await messaging.wakeUps(storeId)).toMatchObject([{ entity_id: shardIdOf(storeId) }]);
    expect(await messagesOf(storeId)).toHaveLength(2);
  });

  test('fifty concurrent messages get numbers without gaps, in the order of their times', async () => {
    const { storeId, leadId } = await newLead();
    await Promise.all(Array.from({ length: 50 }, (_, count) => messaging.send(storeId, leadId, `Message ${count}`)));
    const rows = await messagesOf(storeId);
    expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(rows.map(({ created_at }) => created_at.getTime())).toEqual(
      rows.map(({ created_at }) => created_at.getTime()).sort((one, other) => one - other),
    );
    expect(new Set(rows.map(({ session_id }) => session_id)).size).toBe(1);
    expect(await messaging.adminSql`select status from sessions where store_id = ${storeId}`).toHaveLength(1);
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  });

  test('the delivery is woken unless an earlier message is `queued` or `sending`', async () => {
    const { storeId, leadId } = await newLead();
    const wakeUps = async () => (await messaging.wakeUps(storeId)).length;
    const { id } = await messaging.send(storeId, leadId);
    for (const [status, expected] of [
      ['queued', 1],
      ['sending', 1],
      ['unknown', 2],
      ['failed', 3],
      ['sent', 4],
    ] as const) {
      await messaging.adminSql`delete from messages where store_id = ${storeId} and id <> ${id}`;
      await messaging.adminSql`update messages set status = ${status} where id = ${id}`;
      await messaging.send(storeId, leadId);
      expect(await wakeUps(), status).toBe(expected);
    }
  });

  test('a message that is accepted while the queue runs empty wakes the delivery', async () => {
    const { storeId, leadId } = await newLead();
    const { id } = await messaging.send(storeId, leadId);
    await messaging.adminSql`delete from outbox where store_id = ${storeId}`;
    // The delivery records its last message and looks for the next one under the conversation's lock.
    let sending: Promise<unknown> | undefined;
    await messaging.adminSql.begin(async (sql) => {
      await sql`select 1 from conversations where store_id = ${storeId} and lead_id = ${leadId} for no key update`;
      sending = messaging.send(storeId, leadId);
      await waitFor(
        async () =>
          (
            await messaging.adminSql`select 1 from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`
          ).length > 0,
        { description: 'the acceptance waits for the conversation’s lock' },
      );
      await sql`update messages set status = 'sent' where id = ${id}`;
    });
    await sending;
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  });
});

describe('metadata', () => {
  const read = (storeId: string, leadId: string, messageId: string) =>
    messaging.rpc.call(getMessage, { params: { leadId, messageId } }, testContext({ storeId }));

  test('is kept as it was sent, without its empty members, and shown with the message', async () => {
    const { storeId, leadId } = await newLead();
    const kept = { order: '1042', 'ünï "\\': '\u0001', constructor: 'x' };
    const { answer } = await post(leadId, { storeId }, { message: 'Hi', metadata: { ...kept, gone: null, empty: '' } });
    expect((await read(storeId, leadId, answer.id)).metadata).toEqual(kept);
    for (const body of [{ message: 'Hi' }, { message: 'Hi', metadata: null }]) {
      const { answer: without } = await post(leadId, { storeId }, body);
      expect((await read(storeId, leadId, without.id)).metadata).toEqual({});
    }
  });

  test.each([
    ['with a number', { age: 40 }],
    ['that is a text', 'x'],
    ['with the character NUL', { a: '\0' }],
    ['with a long name', { ['n'.repeat(41)]: 'x' }],
    ['with a long text', { a: 'x'.repeat(501) }],
    ['with 51 members', Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`n${n}`, 'x']))],
    ['with more than 12 KiB', Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`n${n}`, 'x'.repeat(500)]))],
  ])('%s is refused, and nothing is accepted', async (_, metadata) => {
    const { storeId, leadId } = await newLead();
    await expect(post(leadId, { storeId }, { message: 'Hi', metadata } as never)).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer: expect.stringMatching(/^#\/metadata/) }] },
    });
    expect(await messagesOf(storeId)).toEqual([]);
  });
});

describe('a rejected message changes nothing', () => {
  const nothing = async (storeId: string) => {
    for (const table of ['messages', 'sessions', 'conversations', 'outbox', 'idempotency_records']) {
      expect(await messaging.adminSql`select 1 from ${messaging.adminSql(table)} where store_id = ${storeId}`).toEqual(
        [],
      );
    }
  };
  const converse = (storeId: string, leadId: string, changes: Record<string, Date | null>) => messaging.adminSql`
    insert into conversations ${messaging.adminSql({ store_id: storeId, lead_id: leadId, ...changes })}`;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

  test('for an unknown or another store’s lead, which is checked before the channel', async () => {
    const storeId = randomUUID();
    await expect(post(randomUUID(), { storeId })).rejects.toMatchObject({ code: 'lead_not_found' });
    const theirs = messaging.crm.addLead(randomUUID());
    await expect(post(theirs, { storeId })).rejects.toMatchObject({ code: 'lead_not_found' });
    await nothing(storeId);
  });

  test('for a store without a channel, or whose channel needs attention', async () => {
    const storeId = randomUUID();
    const leadId = messaging.crm.addLead(storeId);
    const keyed = { storeId, idempotencyKey: 'k' };
    await expect(post(leadId, keyed)).rejects.toMatchObject({ code: 'channel_not_connected' });
    await messaging.addChannel(storeId);
    await messaging.adminSql`
      update channels set status = 'needs_attention', last_error_code = '190', last_error_detail = 'expired'
      where store_id = ${storeId}`;
    await expect(post(leadId, keyed)).rejects.toMatchObject({ code: 'channel_not_connected' });
    await nothing(storeId);
    // Once the channel is connected, the same request with its key is accepted.
    await messaging.adminSql`
      update channels set status = 'connected', last_error_code = null, last_error_detail = null where store_id = ${storeId}`;
    await waitSeconds(storeId, 0);
    expect(await post(leadId, keyed)).toMatchObject({ replayed: false, answer: { status: 'queued' } });
  });

  test('for free text when WhatsApp’s reply window is closed or was never open', async () => {
    const storeId = randomUUID();
    await messaging.addChannel(storeId, 'whatsapp_cloud');
    await waitSeconds(storeId, 0);
    const never = messaging.crm.addLead(storeId);
    await expect(post(never, { storeId })).rejects.toMatchObject({ code: 'messaging_window_closed' });
    await nothing(storeId);
    const [closed, open] = [messaging.crm.addLead(storeId), messaging.crm.addLead(storeId)];
    await converse(storeId, closed, { last_inbound_at: hoursAgo(24) });
    await converse(storeId, open, { last_inbound_at: hoursAgo(23.9) });
    await expect(post(closed, { storeId })).rejects.toMatchObject({ code: 'messaging_window_closed' });
    expect(await post(open, { storeId })).toMatchObject({ answer: { status: 'queued' } });
  });

  test('but a template is accepted at any time, and unchecked while the templates of the channel are not known', async () => {
    const storeId = randomUUID();
    await messaging.addChannel(storeId, 'whatsapp_cloud');
    await waitSeconds(storeId, 0);
    const leadId = messaging.crm.addLead(storeId);
    const template = { name: 'order_ready', language: 'pt_BR', components: [{ type: 'body', parameters: [] }] };
    const keyed = { storeId, idempotencyKey: 'template' };
    const { answer } = await post(leadId, keyed, { template });
    expect(answer).toMatchObject({ status: 'queued' });
    expect(await messagesOf(storeId)).toMatchObject([{ id: answer.id, body: '', kind: 'template', template }]);
    expect(await post(leadId, keyed, { template })).toMatchObject({ replayed: true });
    const another = { template: { ...template, language: 'en' } };
    await expect(post(leadId, keyed, another)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  describe('for a template of a channel whose templates are known', () => {
    const ready = (value: string) => ({
      ...{ name: 'order_ready', language: 'en' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: value }] }],
    });
    let storeId: string;
    let leadId: string;
    beforeEach(async () => {
      storeId = randomUUID();
      await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, testContext({ storeId }));
      await waitSeconds(storeId, 0);
      leadId = messaging.crm.addLead(storeId);
    });

    test('unless it fits: then the message is its text, and shows which one it is', async () => {
      const { answer } = await post(leadId, { storeId }, { template: ready('Ana') });
      const message = await messaging.rpc.call(
        getMessage,
        { params: { leadId, messageId: answer.id } },
        testContext({ storeId }),
      );
      expect(message).toMatchObject({
        ...{ type: 'template', body: 'Hello, Ana! Your order is ready.' },
        template: { name: 'order_ready', language: 'en' },
      });
    });

    test.each<[string, MessageTemplate, object]>([
      ['that it does not have', { ...ready('Ana'), name: 'order_late' }, { code: 'template_not_found' }],
      [
        'in another language',
        { ...ready('Ana'), language: 'pt_BR' },
        { code: 'template_not_found', detail: expect.stringContaining('`en`') },
      ],
      [
        'that is paused',
        { name: 'winter_sale', language: 'en' },
        { code: 'template_not_approved', members: { current_status: 'paused' } },
      ],
      [
        'that is rejected',
        { name: 'free_prize', language: 'en' },
        { code: 'template_not_approved', members: { current_status: 'rejected' } },
      ],
      [
        'with another number of values',
        { name: 'order_ready', language: 'en' },
        { code: 'validation_failed', members: { errors: [{ pointer: '#/template/components' }] } },
      ],
    ])('%s', async (_, template, refusal) => {
      await expect(post(leadId, { storeId }, { template })).rejects.toMatchObject(refusal);
      expect(await messagesOf(storeId)).toEqual([]);
    });

    test('that is to be sent later: what does not fit is told', async () => {
      const check = (template: MessageTemplate) =>
        messaging.rpc.call(checkTemplate, { body: { template } }, testContext({ storeId }));
      await expect(check({ name: 'winter_sale', language: 'en' })).rejects.toMatchObject({
        code: 'template_not_approved',
      });
      expect(await check({ name: 'order_ready', language: 'en' })).toMatchObject({
        faults: [{ pointer: '#/template/components' }],
      });
    });

    test('that is checked for later when it fits, and in a store without a channel', async () => {
      for (const checkedFor of [storeId, randomUUID()]) {
        const checked = messaging.rpc.call(
          checkTemplate,
          { body: { template: ready('Ana') } },
          testContext({ storeId: checkedFor }),
        );
        expect(await checked).toEqual({ faults: [] });
      }
    });
  });

  test.each([
    ['neither a text nor a template', {}, ['#']],
    ['both', { message: 'Hi', template: { name: 'a', language: 'en' } }, ['#/message', '#/template']],
  ])('for a message with %s', async (_, body, pointers) => {
    const { storeId, leadId } = await newLead();
    await expect(post(leadId, { storeId }, body)).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: pointers.map((pointer) => ({ pointer })) },
    });
  });

  test.each([
    ['without a name', { language: 'pt_BR' }, '#/template/name', 'is required'],
    ['with an empty language', { name: 'a', language: ' ' }, '#/template/language', 'must not be empty'],
    [
      'with an unknown member',
      { name: 'a', language: 'en', namespace: 'x' },
      '#/template/namespace',
      'is not a member',
    ],
    [
      'with a component that is no object',
      { name: 'a', language: 'en', components: ['x'] },
      '#/template/components/0',
      'object',
    ],
    [
      'with more than 8 KiB of components',
      { name: 'a', language: 'en', components: [{ text: 'é'.repeat(4096) }] },
      '#/template/components',
      'must be at most 8 KiB of JSON',
    ],
    ['that is null', null, '#/template', 'object'],
  ])('for a template %s', async (_, template, pointer, detail) => {
    const { storeId, leadId } = await newLead();
    await expect(post(leadId, { storeId }, { template } as never)).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer, detail: expect.stringContaining(detail) }] },
    });
    expect(await messagesOf(storeId)).toEqual([]);
  });

  test('but an API message to a lead that has opted out is accepted in a store whose opt-outs do not stop the API', async () => {
    const { storeId, leadId } = await newLead();
    await messaging.rpc.call(updateMessagingSettings, { body: { opt_out_stops_api: false } }, testContext({ storeId }));
    await converse(storeId, leadId, { opted_out_at: hoursAgo(1) });
    expect(await post(leadId, { storeId })).toMatchObject({ answer: { status: 'queued' } });
  });

  test('for a lead that has opted out, in a store whose opt-outs stop the API too', async () => {
    const { storeId, leadId } = await newLead();
    await converse(storeId, leadId, { opted_out_at: hoursAgo(1) });
    await expect(post(leadId, { storeId })).rejects.toMatchObject({ code: 'lead_opted_out' });
    expect(await messaging.adminSql`select 1 from messages where store_id = ${storeId}`).toEqual([]);
    await messaging.adminSql`update conversations set opted_out_at = null where store_id = ${storeId}`;
    expect(await post(leadId, { storeId })).toMatchObject({ answer: { status: 'queued' } });
  });

  test('without crm for a lead without a conversation, and a lead with one still gets messages', async () => {
    const { storeId, leadId } = await newLead();
    const other = messaging.crm.addLead(storeId);
    await post(leadId, { storeId });
    await messaging.crm.stop();
    try {
      expect(await post(leadId, { storeId })).toMatchObject({ answer: { status: 'queued' } });
      await expect(post(other, { storeId })).rejects.toMatchObject({ code: 'service_unavailable' });
    } finally {
      await messaging.crm.start();
    }
  });
});

describe('the outcome', () => {
  test.each([
    ['sent', true],
    ['delivered', true],
    ['read', true],
    ['unknown', false],
  ])('a message that becomes %s within the wait is answered at once with `sent: %s`', async (status, sent) => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    const posting = post(leadId, patient(storeId));
    const [message] = await accepted(storeId);
    await record(message?.id, status);
    expect((await posting).answer).toEqual({ sent, id: message?.id, status, error: null });
  });

  test('a message that the provider rejects is answered with `sent: false` and the reason', async () => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    const posting = post(leadId, { storeId });
    const [message] = await accepted(storeId);
    const error = { code: '131026', detail: 'Message undeliverable' };
    await record(message?.id, 'failed', error);
    expect((await posting).answer).toEqual({ sent: false, id: message?.id, status: 'failed', error });
  });

  test('an outcome that was recorded before the wait is answered at once, without a notification', async () => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    await messaging.adminSql`
      create or replace function pg_temp_sent() returns trigger language plpgsql as $$
        begin if new.body = 'at once' then new.status := 'sent'; end if; return new; end $$`;
    await messaging.adminSql`
      create trigger at_once before insert on messages for each row execute function pg_temp_sent()`;
    const { answer } = await post(leadId, patient(storeId), { message: 'at once' });
    await messaging.adminSql`drop trigger at_once on messages`;
    expect(answer).toMatchObject({ sent: true, status: 'sent' });
  });

  test('the end of the wait is answered with the status of the row', async () => {
    const attempt = async () => {
      const { storeId, leadId } = await newLead({ wait: 0.3 });
      const posting = post(leadId, { storeId });
      const [message] = await accepted(storeId);
      await messaging.adminSql`update messages set status = 'sending' where id = ${message?.id}`;
      return { id: message?.id, answer: (await posting).answer };
    };
    // On a machine that stands still, the wait can end before the update.
    const { id, answer } = await waitFor(
      async () => {
        const made = await attempt();
        return made.answer.status !== 'queued' && made;
      },
      { description: 'an answer after the update' },
    );
    expect(answer).toEqual({ sent: false, id, status: 'sending', error: null });
  });

  test('a wait that is longer than the request’s deadline still gets an answer in time', async () => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    const { answer } = await waitFor(() => post(leadId, { storeId, timeoutMs: 1_500 }), {
      description: 'an answer in time',
    });
    expect(answer).toMatchObject({ sent: false, status: 'queued' });
  });

  test('two hundred waiting requests hold neither a queue slot nor a database connection', async () => {
    const { storeId } = await newLead({ wait: 'long' });
    const leads = Array.from({ length: 200 }, () => messaging.crm.addLead(storeId));
    const posting = leads.map((leadId) => messaging.send(storeId, leadId, 'Hello', longMs));
    await waitFor(() => messaging.dependencies.outcomes.waiting() === 200, { description: 'all requests wait' });
    const { storeId: other, leadId } = await newLead();
    await messaging.send(other, leadId);
    // Each reads its row once.
    await expect.poll(() => messaging.dependencies.database.stats()).toMatchObject({ busy: 0, waiting: 0 });
    await messaging.adminSql`update messages set status = 'sent' where store_id = ${storeId}`;
    for (const { id } of await messagesOf(storeId)) messaging.dependencies.outcomes.announce(id);
    expect((await Promise.all(posting)).every(({ sent }) => sent)).toBe(true);
    expect(messaging.dependencies.outcomes.waiting()).toBe(0);
  });
});

describe('Idempotency-Key', () => {
  test('fifty concurrent requests with one key create one message, one wake-up and one answer', async () => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    const keyed = { ...patient(storeId), idempotencyKey: 'fifty' };
    const posting = Array.from({ length: 50 }, () => post(leadId, keyed));
    const [message] = await accepted(storeId);
    await record(message?.id, 'sent');
    const answers = await Promise.all(posting);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.answer).toEqual({ sent: true, id: message?.id, status: 'sent', error: null });
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await messagesOf(storeId)).toHaveLength(1);
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
    expect(await messaging.adminSql`select next_number from conversations where store_id = ${storeId}`).toEqual([
      { next_number: '2' },
    ]);
  });

  test('a retry with the same key creates no second message and gets the first answer', async () => {
    const { storeId, leadId } = await newLead();
    const keyed = { storeId, idempotencyKey: 'k' };
    const first = await post(leadId, keyed);
    await record(first.answer.id, 'read');
    expect(await post(leadId, keyed)).toEqual({ ...first, replayed: true });
    expect(await messagesOf(storeId)).toHaveLength(1);
    expect((await messaging.feed(storeId)).map(({ type }) => type)).toEqual(['session.started', 'message.queued']);
  });

  test('a retry after an answer was lost waits for the outcome of the same message', async () => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    const keyed = { ...patient(storeId), idempotencyKey: 'k' };
    // A process that dies after the commit leaves the message and an idempotency record without an answer.
    void post(leadId, keyed).catch(() => {});
    const [message] = await accepted(storeId);
    const again = post(leadId, keyed);
    await waitFor(() => messaging.dependencies.outcomes.waiting() === 2, { description: 'both requests wait' });
    await record(message?.id, 'sent');
    expect((await again).answer).toMatchObject({ id: message?.id, sent: true });
    expect(await messagesOf(storeId)).toHaveLength(1);
  });

  test('another text under the same key is rejected, even while the first request waits', async () => {
    const { storeId, leadId } = await newLead({ wait: 'long' });
    const keyed = { ...patient(storeId), idempotencyKey: 'k' };
    const posting = post(leadId, keyed);
    const [message] = await accepted(storeId);
    const other = () => post(leadId, { ...keyed, body: { message: 'Tchau' } }, { message: 'Tchau' });
    await expect(other()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await record(message?.id, 'sent');
    await posting;
    await expect(other()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await messagesOf(storeId)).toHaveLength(1);
  });

  test('two equal requests without a key create two messages', async () => {
    const { storeId, leadId } = await newLead();
    await post(leadId, { storeId });
    await post(leadId, { storeId });
    expect(await messagesOf(storeId)).toHaveLength(2);
  });
});

describe('a process', () => {
  const withWait = async (own: TestMessaging) => {
    const storeId = randomUUID();
    await own.addChannel(storeId);
    await own.waitLong(storeId);
    const leadId = own.crm.addLead(storeId);
    return () => own.send(storeId, leadId, 'Hello', longMs);
  };

  test('that stops answers its waiting requests at once with the current status', async () => {
    const own = await startMessaging();
    const send = await withWait(own);
    const sending = [send(), send()];
    await waitFor(() => own.dependencies.outcomes.waiting() === 2, { description: 'both requests wait' });
    const stopping = own.stop();
    expect(await Promise.all(sending)).toMatchObject([
      { sent: false, status: 'queued' },
      { sent: false, status: 'queued' },
    ]);
    await stopping;
  });

  test('with too many waiting requests accepts the next message and answers at once', async () => {
    const own = await startMessaging({ mostWaiting: 1 });
    const send = await withWait(own);
    const waiting = send();
    await waitFor(() => own.dependencies.outcomes.waiting() === 1, { description: 'one request waits' });
    expect(await send()).toMatchObject({ sent: false, status: 'queued' });
    const stopping = own.stop();
    await waiting;
    await stopping;
  });
});
