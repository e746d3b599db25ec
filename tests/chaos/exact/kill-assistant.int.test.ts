import {
  connectChannel,
  connectModel,
  createAgent,
  createLead,
  putBookingRules,
  receiveSandboxMessage,
  updateAssistantSettings,
} from '@mostrador/contracts';
import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Store, startPlatform } from './stage.ts';

// assistant is killed at twelve points of a turn that books, and scheduling at two: each lead has been offered times and
// accepts one of them. Points of the database share one kill, because a hold of NATS stops the whole process.

type Lead = {
  readonly id: string;
  readonly phone: string;
  readonly number: number;
  offers: { id: string; at: string }[];
};

let stage: Awaited<ReturnType<typeof startPlatform>>;
let store: Store;
let token: string;
const leads: Lead[] = [];

const places = ['a primeira', 'a segunda', 'a terceira', '4', '5'];
const write = ({ phone: customer_phone }: Lead, text: string) =>
  stage.call(receiveSandboxMessage, { body: { token, customer_phone, name: 'Lead', text } });

/** What the AI has written to a lead that the channel has taken. */
const saidTo = async ({ id }: Lead): Promise<string[]> =>
  (
    await stage.database.adminSql<{ body: string }[]>`
      select body from messaging.messages where lead_id = ${id} and source = 'ai' and sent_at is not null order by number`
  ).map(({ body }) => body);

beforeAll(async () => {
  stage = await startPlatform({
    service: 'assistant',
    processes: ['gateway', 'crm', 'messaging', 'scheduling', 'assistant', 'workflows'],
  });
  store = await stage.newStore();
  const { sandbox_url } = await stage.call(
    connectChannel,
    { body: { provider: 'sandbox', phone: '5511900000000' } },
    store.id,
  );
  token = sandbox_url?.split('/').at(-1) as string;
  await stage.call(connectModel, { body: { provider: 'demo' } }, store.id);
  await stage.call(createAgent, { body: { name: 'Ana', priority: 1, is_default: true, language: 'pt-BR' } }, store.id);
  await stage.call(putBookingRules, { body: { overlap: 'reject', capacity: 20 } }, store.id);
  await stage.call(updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 0 } }, store.id);
  for (let number = 0; number < 14; number += 1) {
    const phone = String(5_511_970_000_000 + number);
    const { id } = await stage.call(createLead, { body: { name: `Lead ${number}`, customer_phone: phone } }, store.id);
    leads.push({ id, phone, number, offers: [] });
  }
  for (const lead of leads) await write(lead, 'quero marcar um horário amanhã');
  for (const lead of leads) {
    await waitFor(async () => (await saidTo(lead)).length === 1, {
      description: 'times are offered',
      timeoutMs: 60_000,
    });
    const rows = await stage.database.adminSql<{ id: string; starts_at: Date }[]>`
      select id, starts_at from ai_offers where lead_id = ${lead.id} order by place`;
    lead.offers = rows.map(({ id, starts_at }) => ({ id, at: starts_at.toISOString() }));
    expect(lead.offers).toHaveLength(5);
  }
}, 600_000);
afterAll(() => stage?.stop());

/** The lead accepts an offer, and the turn stands at the point. */
async function standAt(number: number, holdOf: (lead: Lead, offer: { id: string; at: string }) => Hold): Promise<Hold> {
  const lead = leads[number] as Lead;
  const place = number % places.length;
  const held = holdOf(lead, lead.offers[place] as { id: string; at: string });
  await write(lead, places[place] as string);
  await held.reached;
  return held;
}

/** Kills the process, and starts it again. The time of the leases that it leaves passes at once. */
async function killAt(held: readonly Hold[], process: 'assistant' | 'scheduling' = 'assistant'): Promise<void> {
  await stage.kill(process);
  for (const hold of held) hold.drop();
  await stage.database.adminSql`
    update ai_turns set lease_until = now(), next_attempt_at = now() where lease_token is not null`;
  await stage.start(process);
}

/** How many calls to models the store has had, and how many of them failed. */
const countedCalls = async () => {
  const [row] = await stage.database.adminSql<[{ calls: number; failed: number }]>`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(failed_calls), 0)::int as failed
    from assistant.model_usage where store_id = ${store.id}`;
  return row;
};
const reservedCalls = async () => {
  const [row] = await stage.database.adminSql<[{ calls: number }]>`
    select sum(calls)::int as calls from assistant.model_days where store_id = ${store.id}`;
  return row.calls;
};

test('after kills at every point of a turn each lead has one appointment and one confirmation of it', async () => {
  const { database, nats } = stage.proxies;
  const commitOf = (text: string) => database.holdRequest('commit', text);
  const answerOf = (text: string) => database.holdAnswer('commit', text);
  await killAt([
    // What the model asked for is recorded without an acknowledgement.
    await standAt(1, (_, offer) => answerOf(offer.id)),
    // What the tool gave is recorded without an acknowledgement, or is not. The time stands nowhere else in such a form.
    await standAt(3, (_, offer) => answerOf(`"scheduled_at":"${offer.at}"`)),
    await standAt(2, (_, offer) => commitOf(`"scheduled_at":"${offer.at}"`)),
    // The same of the end of the turn.
    await standAt(5, ({ id }) => answerOf(`"lead_id":"${id}"`)),
    await standAt(4, ({ id }) => commitOf(`"lead_id":"${id}"`)),
    // The appointment is not asked for.
    await standAt(6, ({ id }) => nats.holdRequest(`"lead_id":"${id}","scheduled_at"`)),
  ]);
  await killAt([
    // The start of the workflow is not recorded.
    await standAt(12, ({ id }) => commitOf(`"entity_id":"${id}"`)),
    // What the model asked for is not recorded. This locks what the store has used, so no other turn is decided.
    await standAt(0, (_, offer) => commitOf(offer.id)),
  ]);
  // The start of the workflow is recorded without an acknowledgement.
  await killAt([await standAt(13, ({ id }) => answerOf(`"entity_id":"${id}"`))]);
  // The appointment is made, and no answer came.
  await killAt([await standAt(7, ({ id }) => nats.holdAnswer(`"lead_id":"${id}","scheduled_at"`))]);
  // The confirmation is not given to messaging, or is accepted without an answer.
  await killAt([await standAt(8, ({ id }) => nats.holdRequest(`"lead_id":"${id}","source":"ai"`))]);
  await killAt([await standAt(9, ({ id }) => nats.holdAnswer(`"lead_id":"${id}","source":"ai"`))]);
  // scheduling dies before it is asked, and after it has made the appointment.
  await killAt([await standAt(10, ({ id }) => nats.holdRequest(`"lead_id":"${id}","scheduled_at"`))], 'scheduling');
  await killAt([await standAt(11, ({ id }) => nats.holdAnswer(`"lead_id":"${id}","scheduled_at"`))], 'scheduling');

  for (const lead of leads) {
    await waitFor(async () => (await saidTo(lead)).length > 1, {
      description: `lead ${lead.number} has a confirmation`,
      timeoutMs: 120_000,
    });
  }
  // A turn ends after its message was sent.
  await waitFor(
    async () => (await stage.database.adminSql`select id from ai_turns where state = 'open'`).length === 0,
    {
      description: 'no turn is open',
    },
  );
  for (const lead of leads) {
    const said = await saidTo(lead);
    expect(said, `lead ${lead.number}`).toEqual([
      expect.stringContaining('Qual prefere?'),
      expect.stringMatching(/^Marcado: /),
    ]);
    const booked = await stage.database.adminSql<{ scheduled_at: Date }[]>`
      select scheduled_at from scheduling.appointments where lead_id = ${lead.id}`;
    expect(
      booked.map(({ scheduled_at }) => scheduled_at.toISOString()),
      `lead ${lead.number}`,
    ).toEqual([lead.offers[lead.number % places.length]?.at]);
  }

  // The process died between the call to a model and its count. Each call that was begun is counted, once.
  const [counted, died] = await stage.database.adminSql.begin(async (sql) => {
    // On a slow machine some have expired and are counted. While these are locked, no other is.
    await sql`select from assistant.model_calls where store_id = ${store.id} for update`;
    const { failed } = await countedCalls();
    const expired = await sql`
      update assistant.model_calls set expires_at = now() - interval '1 second' where store_id = ${store.id} returning id`;
    return [failed, expired.length];
  });
  expect(counted + died).toBeGreaterThan(0);
  await waitFor(async () => (await countedCalls()).failed === counted + died, {
    description: 'died calls are counted',
  });
  expect((await countedCalls()).calls).toBe(await reservedCalls());
}, 900_000);
