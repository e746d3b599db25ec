import { beforeAll, expect, test } from 'vitest';
import { addresses, admin, eventually, type Json, request, storeOf } from './platform.ts';

// The conversation of a newcomer with the store that `npm start` fills, on its sandbox telephone.

const { id: storeId, api_key: key } = storeOf('pro');
const phone = '5511960000088';
let leadId: string | undefined;

beforeAll(async () => {
  // The newcomer has more patience than this test.
  await admin(['store', 'update', '--store', storeId, '--ai-quiet-seconds', '0.5']);
});

/** The newcomer writes, and gets an answer: the text, and its explanation. */
async function say(message: { text: string } | { type: 'audio' }) {
  const answered = leadId ? (await ofAi()).length : 0;
  const sent = await fetch(`${addresses.sandbox_url}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer_phone: phone, name: 'Nina', ...message }),
  });
  expect(sent.status, await sent.text()).toBe(200);
  leadId ??= await eventually(
    async () => (await request('GET', `/leads?customer_phone=${phone}`, { key })).body.data[0]?.id,
    (id: string | undefined) => id !== undefined,
  );
  const [answer] = await eventually(
    ofAi,
    (messages: Json[]) => messages.length > answered && messages[0].status === 'sent',
  );
  const explained = await eventually(
    () => request('GET', `/leads/${leadId}/messages/${answer.id}/explanation`, { key }),
    ({ status }) => status === 200,
  );
  return { text: answer.body as string, explained: explained.body };
}
const ofAi = async (): Promise<Json[]> =>
  (await request('GET', `/leads/${leadId}/messages`, { key })).body.data.filter(({ source }: Json) => source === 'ai');

test('the demo store offers times, books the accepted one, quotes a document, asks to write, and calls a person', async () => {
  const offered = await say({ text: 'quero marcar um horário amanhã' });
  expect(offered.text).toMatch(/^Olá, aqui é .+, a assistente de IA da loja.+\n\n1\. .+\n2\. /);
  const searches = offered.explained.tools.filter(({ tool }: Json) => tool === 'find_times');
  const { times } = searches.at(-1).output;
  expect(times.length).toBeGreaterThan(1);

  const booked = await say({ text: 'a primeira' });
  expect(booked.text).toMatch(/^Marcado: Atendimento, .+\.\n\nAté lá!$/);
  // The confirmed time is the first that was offered.
  const first = offered.text.split('\n').find((line) => line.startsWith('1. ')) as string;
  expect(booked.text).toContain(first.slice(3));
  const { data } = (await request('GET', `/appointments?lead_id=${leadId}`, { key })).body;
  expect(data).toEqual([
    expect.objectContaining({
      lead_id: leadId,
      status: 'scheduled',
      notes: expect.stringContaining('assistente de IA'),
    }),
  ]);
  expect(booked.explained.tools).toMatchObject([{ tool: 'book', output: { appointment: { id: data[0].id } } }]);
  const created = await eventually(
    async () => {
      const feed = (await request('GET', '/events?types=appointment.created&limit=100', { key })).body.data;
      return feed.find(({ entity }: Json) => entity.id === data[0].id);
    },
    (event: Json | undefined) => event !== undefined,
  );
  expect(created.actor).toEqual({ kind: 'agent', id: booked.explained.agent_id });

  const quoted = await say({ text: 'Quais são as formas de pagamento?' });
  expect(quoted.text).toContain('Em “Formas de pagamento” está escrito:');
  expect(quoted.explained.passages).toContainEqual(
    expect.objectContaining({ title: 'Formas de pagamento', used: true }),
  );

  const heard = await say({ type: 'audio' });
  expect(heard.text).toContain('Pode escrever, por favor?');

  const handed = await say({ text: 'Quero falar com uma pessoa' });
  expect(handed.text).toContain('uma pessoa da equipe');
  expect(handed.explained).toMatchObject({ outcome: 'handed_over', handover_reason: 'asked_for_person' });
});
