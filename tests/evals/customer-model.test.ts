import { afterEach, describe, expect, test } from 'vitest';
import type { Said } from './customer.ts';
import { CustomerFailed, lineOf, longestLine, messagesFor, nextLine, type Role } from './customer-model.ts';
import { type Script, type ScriptedAnswer, startScriptedModel } from './scripted-model.ts';

const role: Role = { language: 'pt', persona: 'Ana, 34', goal: 'Marcar um corte', knows: ['O nome dela é Ana.'] };
const said: Said[] = [
  { from: 'customer', text: 'Oi' },
  { from: 'store', text: 'Olá! Em que posso ajudar?' },
  { from: 'customer', text: '...' },
  { from: 'event', text: 'silent: nothing_to_answer' },
];

let server: Awaited<ReturnType<typeof startScriptedModel>> | undefined;
afterEach(() => server?.stop());

async function ask(script: Script, change: object = {}, heard: readonly Said[] = said) {
  server?.stop();
  server = await startScriptedModel(script);
  return await nextLine({ ...server.connection, ...change }, role, heard, 1);
}
/** A model that gives these answers in order. The last one stays. */
function inOrder(...answers: ScriptedAnswer[]): Script {
  return () => (answers.length > 1 ? answers.shift() : answers[0]) as ScriptedAnswer;
}

test('the model is told whom it plays and what the customer knows, and hears the store as the other one', async () => {
  expect(await ask(inOrder({ writes: 'Quero marcar amanhã.' }))).toBe('Quero marcar amanhã.');
  const { messages, model, seed } = server?.requests[0] ?? {};
  expect([model, seed]).toEqual(['plays', 1]);
  expect(messages.slice(1)).toEqual([
    { role: 'user', content: '(You write first.)' },
    { role: 'assistant', content: 'Oi' },
    { role: 'user', content: 'Olá! Em que posso ajudar?' },
    { role: 'assistant', content: '...' },
    { role: 'user', content: '(The store does not answer.)' },
  ]);
  const content = messagesFor(role, [])[0]?.content;
  for (const told of [role.persona, role.goal, ...role.knows, '[END]']) expect(content).toContain(told);
});

test.each([
  ['Oi! Quero marcar.', 'Oi! Quero marcar.'],
  ['<think>I am Ana.</think>\n\nOi!', 'Oi!'],
  ['Cliente: "Oi, tudo bem?"', 'Oi, tudo bem?'],
  ['x'.repeat(2_000), 'x'.repeat(longestLine)],
  ['[END]', undefined],
  ['Obrigada! [end]', undefined],
])('of %j the customer writes %j', (written, line) => expect(lineOf(written)).toBe(line));

test.each([[''], [' \n'], ['<think>What would Ana say']])('%j is no message', (written) => {
  expect(() => lineOf(written)).toThrow(CustomerFailed);
});

describe('a model that fails', () => {
  test.each<[string, ScriptedAnswer]>([
    ['is busy', { status: 429, headers: { 'retry-after': '0' } }],
    ['is down', { status: 503, headers: { 'retry-after': '0' } }],
    ['hangs up', 'hangs up'],
    ['writes no JSON', { status: 200, body: 'Oi' }],
    ['writes nothing', { writes: '' }],
    ['has no end', { writes: 'Oi Oi Oi', finish: 'length' }],
  ])('%s is asked again, at most twice', async (_, answer) => {
    expect(await ask(inOrder(answer, answer, { writes: 'Oi' }))).toBe('Oi');
    await expect(ask(inOrder(answer))).rejects.toThrow(CustomerFailed);
    expect(server?.requests).toHaveLength(3);
  });

  test.each([
    ['another key', { apiKey: 'sk-other' }, '401'],
    ['another model', { model: 'other' }, '404'],
  ])('%s is refused, and not asked again', async (_, change, status) => {
    await expect(ask(inOrder({ writes: 'Oi' }), change)).rejects.toThrow(status);
    expect(server?.requests).toHaveLength(0);
  });

  test('a conversation longer than its context is refused with the reason of the server', async () => {
    const long = Array.from({ length: 20 }, (): Said[] => [
      { from: 'customer', text: 'Oi' },
      { from: 'store', text: 'x'.repeat(1_000) },
    ]).flat();
    await expect(ask(inOrder({ writes: 'Oi' }), {}, long)).rejects.toThrow('context_length_exceeded');
  });
});
