import { beforeAll, expect, test } from 'vitest';
import { askAsPage, signInAs } from './people.ts';
import { admin, eventually, type Json, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

const phone = '5511960000077';
let store: Awaited<ReturnType<typeof newStore>>;
let manager: string;
let telephone: string;
let leadId: string;

beforeAll(async () => {
  store = await newStore({ arguments: ['--locale', 'pt-BR'] });
  manager = await signInAs(store.id, 'manager');
  telephone = (await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox'])).sandbox_url;
  await admin(['ai', 'connect', '--store', store.id, '--provider', 'demo']);
  await admin(['store', 'update', '--store', store.id, '--ai', 'on', '--ai-quiet-seconds', '0.5']);
  const made = await request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone: phone } });
  leadId = made.body.id;
  await request('POST', '/agents', { key: store.key, body: { name: 'Bia', priority: 1, is_default: true } });
  const content = '# Preços\n\nO corte de cabelo custa 60 reais.';
  await request('POST', '/knowledge/documents', { key: store.key, body: { title: 'Preços', content } });
});

const write = async (text: string, to = telephone) => {
  const answer = await fetch(`${to}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer_phone: phone, name: 'Ana', text }),
  });
  expect(answer.status, await answer.text()).toBe(200);
};
const explanationOf = (id: string) =>
  eventually(
    () => request('GET', `/leads/${leadId}/messages/${id}/explanation`, { key: store.key }),
    ({ status }) => status === 200,
  );
const ofAi = async (of = { key: store.key, leadId }): Promise<Json[]> =>
  (await request('GET', `/leads/${of.leadId}/messages`, { key: of.key })).body.data.filter(
    ({ source }: Json) => source === 'ai',
  );

test('a customer gets one answer with the quoted passage, and a person when they ask for one', async () => {
  await write('Oi');
  await write('quanto custa o corte de cabelo?');
  const [answer] = await eventually(
    () => ofAi(),
    (messages: Json[]) => messages[0]?.status === 'sent',
  );
  expect(answer.body).toContain('Olá, aqui é Bia, a assistente de IA da loja');
  expect(answer.body).toContain('O corte de cabelo custa 60 reais.');
  expect(answer.author).toEqual({ kind: 'agent', id: expect.any(String), name: 'Bia' });
  const explained = await explanationOf(answer.id);
  expect(explained.body, explained.text).toMatchObject({
    ...{ message_id: answer.id, outcome: 'sent', agent_name: 'Bia', agent_reason: 'default', model: 'demo' },
    ...{ passages: [{ title: 'Preços', used: true }], tokens: null },
  });
  const other = await newStore();
  expectProblem(
    await request('GET', `/leads/${leadId}/messages/${answer.id}/explanation`, { key: other.key }),
    'lead_not_found',
  );

  await write('Quero falar com um atendente');
  const both = await eventually(
    () => ofAi(),
    (messages: Json[]) => messages.length === 2 && messages[0]?.status === 'sent',
  );
  expect(both[0].body).toContain('uma pessoa da equipe');
  const read = await explanationOf(both[0].id);
  expect(read.body).toMatchObject({ outcome: 'handed_over', handover_reason: 'asked_for_person' });
  // The conversation waits for a person, and the AI is paused for it.
  const inbox = await eventually(
    async () => (await askAsPage('GET', '/conversations?unanswered=true&ai_paused=true', { cookie: manager })).body,
    ({ data }: Json) => data?.length === 1,
  );
  expect(inbox.data[0]).toMatchObject({ lead: { id: leadId }, unanswered: true });
  const types = await eventually(
    async () => {
      const { body: feed } = await request('GET', '/events?limit=100', { key: store.key });
      return feed.data.map(({ type }: Json) => type).filter((type: string) => type.startsWith('assistant.'));
    },
    (found: string[]) => found.length >= 2,
  );
  expect(types).toEqual(['assistant.replied', 'assistant.handed_over']);
});

test('a person confirms a move of the AI, whose time no other customer gets meanwhile', async () => {
  const moving = await newStore({ arguments: ['--locale', 'pt-BR', '--timezone', 'America/Sao_Paulo'] });
  const { key } = moving;
  const sandbox = await admin(['channel', 'connect', '--store', moving.id, '--provider', 'sandbox']);
  await admin(['ai', 'connect', '--store', moving.id, '--provider', 'demo']);
  const asking = ['--ai', 'on', '--ai-quiet-seconds', '0.5', '--ai-confirm', 'move'];
  await admin(['store', 'update', '--store', moving.id, ...asking]);
  await request('POST', '/agents', { key, body: { name: 'Bia', priority: 1, is_default: true } });
  await request('PUT', '/booking/rules', { key, body: { overlap: 'reject', capacity: 1 } });
  const { body: lead } = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone: phone } });
  const inFourDays = new Date(Date.now() + 4 * 86_400_000).toISOString();
  const booked = { title: 'Corte', lead_id: lead.id, scheduled_at: inFourDays, duration_minutes: 60 };
  const { body: appointment } = await request('POST', '/appointments', { key, body: booked });

  const say = (text: string) => write(text, sandbox.sandbox_url);
  await say('quero remarcar para amanhã');
  await eventually(
    () => ofAi({ key, leadId: lead.id }),
    (messages: Json[]) => messages[0]?.status === 'sent',
  );
  await say('a primeira');
  const [asked] = await eventually(
    () => ofAi({ key, leadId: lead.id }),
    (messages: Json[]) => messages.length === 2,
  );
  const explained = await eventually(
    () => request('GET', `/leads/${lead.id}/messages/${asked.id}/explanation`, { key }),
    ({ body }) => body.handover_reason === 'needs_confirmation',
  );
  const [{ offer, awaits_confirmation }] = explained.body.tools;
  expect([awaits_confirmation, offer.held_until]).toEqual([true, expect.any(String)]);

  const other = { title: 'Barba', scheduled_at: offer.scheduled_at, duration_minutes: 60 };
  expectProblem(await request('POST', '/appointments', { key, body: other }), 'appointment_conflict');
  const decision = `/leads/${lead.id}/messages/${asked.id}/decision`;
  const decided = await request('POST', decision, { key, body: { decision: 'confirm' } });
  expect(decided.body.tools, decided.text).toMatchObject([
    { tool: 'move', output: { appointment: { id: appointment.id } } },
  ]);
  const { body: moved } = await request('GET', `/appointments/${appointment.id}`, { key });
  expect(moved).toMatchObject({ status: 'scheduled', duration_minutes: 60 });
  expect(Date.parse(moved.scheduled_at)).toBe(Date.parse(offer.scheduled_at));
  // Its former time is free again.
  const former = await request('POST', '/appointments', { key, body: { ...other, scheduled_at: inFourDays } });
  expect(former.status, former.text).toBe(201);
});
