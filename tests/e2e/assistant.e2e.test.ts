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

const write = async (text: string) => {
  const answer = await fetch(`${telephone}/messages`, {
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
const ofAi = async (): Promise<Json[]> =>
  (await request('GET', `/leads/${leadId}/messages`, { key: store.key })).body.data.filter(
    ({ source }: Json) => source === 'ai',
  );

test('a customer gets one answer with the quoted passage, and a person when they ask for one', async () => {
  await write('Oi');
  await write('quanto custa o corte de cabelo?');
  const [answer] = await eventually(ofAi, (messages: Json[]) => messages[0]?.status === 'sent');
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
  const both = await eventually(ofAi, (messages: Json[]) => messages.length === 2 && messages[0]?.status === 'sent');
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
