import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  connectChannel,
  connectModel,
  createAgent,
  createLead,
  receiveSandboxMessage,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { createRandom } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers, faultsOf, markOf, newestIn, type Said } from './answers.ts';
import { startModel } from './model.ts';
import { type Store, startPlatform } from './stage.ts';

// Leads write bursts at the same time, and on while the model thinks; two people write to some of them; the model hangs
// twice, and in each round a process dies: kill-assistant has the exact points of a turn, and this one what comes together.

const leadsInAll = 6;
/** A person writes to these, each in another round. */
const withPerson = [1, 4];
const victims = ['assistant', 'messaging', 'workflows', 'crm', 'assistant'] as const;
const hanging = new Set([4, 11]);

type Lead = { readonly id: string; readonly phone: string; readonly number: number; written: number };

/** What happens to a lead while the model thinks about it, once. */
const meanwhile = new Map<number, () => Promise<unknown>>();
/** It answers with the last mark of the prompt. */
let asked = 0;
let interrupted = 0;
const answer = async (prompt: string) => {
  asked += 1;
  if (hanging.has(asked)) return undefined;
  const [, number] = /\bl(\d+)k\d+\b/.exec(prompt) ?? [];
  const happens = meanwhile.get(Number(number));
  meanwhile.delete(Number(number));
  if (happens) interrupted += 1;
  await happens?.();
  return { says: `visto ${markOf(Number(number), newestIn(prompt))} fim` };
};

let model: Awaited<ReturnType<typeof startModel>>;
let stage: Awaited<ReturnType<typeof startPlatform>>;
let store: Store;
let token: string;
const leads: Lead[] = [];

/** A request is repeated with the same ids until a process answers. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  let answer: { value: T } | undefined;
  await waitFor(
    async () => {
      answer = await ask().then(
        (value) => ({ value }),
        () => undefined,
      );
      return answer !== undefined;
    },
    { description: 'an answer' },
  );
  return (answer as { value: T }).value;
}

beforeAll(async () => {
  model = await startModel(answer);
  stage = await startPlatform({
    service: 'assistant',
    processes: ['crm', 'messaging', 'scheduling', 'assistant', 'workflows'],
  });
  store = await stage.newStore();
  const channel = { provider: 'sandbox', phone: '5511900000000' } as const;
  const { sandbox_url } = await stage.call(connectChannel, { body: channel }, store.id);
  token = sandbox_url?.split('/').at(-1) as string;
  await stage.call(connectModel, { body: model.connection }, store.id);
  await stage.call(createAgent, { body: { name: 'Ana', priority: 1, is_default: true, language: 'pt-BR' } }, store.id);
  // Past the longest wait an answer leaves although the lead has written on.
  const settings = { ai: true, ai_quiet_seconds: 1, ai_max_wait_seconds: 300 };
  await stage.call(updateAssistantSettings, { body: settings }, store.id);
  for (let number = 0; number < leadsInAll; number += 1) {
    const phone = String(5_511_980_000_000 + number);
    const body = { name: `Lead ${number}`, customer_phone: phone };
    const { id } = await stage.call(createLead, { body }, store.id);
    leads.push({ id, phone, number, written: 0 });
  }
  asked = 0;
}, 240_000);
afterAll(async () => {
  await stage?.stop();
  model?.stop();
});

/** The lead writes a burst: each message when the one before is taken. A repeat is another message. */
async function burst(lead: Lead, messages: number): Promise<void> {
  for (let count = 0; count < messages; count += 1) {
    await insist(() => {
      lead.written += 1;
      const text = `oi ${markOf(lead.number, lead.written)}`;
      return stage.call(receiveSandboxMessage, { body: { token, customer_phone: lead.phone, name: 'Lead', text } });
    });
  }
}

/** The lead writes on, and the message has its place in the conversation. */
async function writeOn(lead: Lead): Promise<void> {
  await burst(lead, 1);
  const body = `oi ${markOf(lead.number, lead.written)}`;
  const found = () =>
    stage.database.adminSql`select 1 from messaging.messages where lead_id = ${lead.id} and body = ${body}`;
  await waitFor(async () => (await found()).length > 0, { description: 'the message is stored' });
}

/** Two people write to the lead at the same time. */
const people = (lead: Lead) =>
  Promise.all(
    ['Ana', 'Rui'].map((message) => {
      const body = { id: randomUUID(), lead_id: lead.id, source: 'seller' as const, message };
      return insist(() => stage.call(acceptMessage, { body }, store.id));
    }),
  );

const openTurns = () => stage.database.adminSql`select 1 from assistant.ai_turns where state = 'open'`;

async function conversationOf({ id }: Lead) {
  const { adminSql } = stage.database;
  const said = await adminSql<Said[]>`
    select number::int as number, source, body, status from messaging.messages where lead_id = ${id} order by messages.number`;
  const turns = await adminSql<{ state: string; reason: string | null }[]>`
    select state, reason from assistant.ai_turns where lead_id = ${id} order by created_at, id`;
  return { leadId: id, said, turns };
}

test('with bursts, two people, a model that hangs and kills no answer is double, stale, after a person, or lost', async () => {
  const random = createRandom(42);
  for (const [round, victim] of victims.entries()) {
    const taken = withPerson[round - 1];
    for (const lead of leads) {
      // The rest has turns that nothing interrupts.
      if (lead.number === taken) meanwhile.set(lead.number, () => people(lead));
      else if (lead.number % 2 === round % 2) meanwhile.set(lead.number, () => writeOn(lead));
    }
    const writing = leads.map((lead) => burst(lead, 1 + random.below(3)));
    await waitFor(async () => (await openTurns()).length > 0, { description: 'a turn is open' });
    await stage.restart(victim);
    // The leases of a process that is dead pass at once.
    if (victim === 'assistant') {
      await stage.database.adminSql`
        update assistant.ai_turns set lease_until = now(), next_attempt_at = now() where lease_token is not null`;
    }
    await Promise.all(writing);
    // The next round begins while turns are open.
  }
  await waitFor(async () => (await openTurns()).length === 0, { description: 'no turn is open', timeoutMs: 180_000 });
  const conversations = await Promise.all(leads.map(conversationOf));
  expect(interrupted).toBeGreaterThan(victims.length);
  expect(conversations.flatMap(faultsOf)).toEqual([]);
  // Each lead has written in each round, and each without a person has an answer.
  for (const [number, { said }] of conversations.entries()) {
    expect(said.filter(({ source }) => source === 'lead').length).toBeGreaterThanOrEqual(victims.length);
    if (!withPerson.includes(number)) expect(answers(said)).not.toEqual([]);
  }
}, 480_000);
