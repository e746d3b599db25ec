import { toolNames } from '@mostrador/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { passage } from '../../test/assistant.ts';
import { modelRequest } from '../../test/model-request.ts';
import type { ToolCall } from '../models/model.ts';
import { checkCalls } from './check-calls.ts';
import { offeredTools } from './offered-tools.ts';

const offering = {
  ...{ books: true, services: [], appointments: [], timezone: 'UTC' },
  offers: [{ id: 'o1', starts_at: new Date('2027-01-05T10:00:00Z'), title: 'Corte' }],
};
const passages = [passage('Preços', 'Corte: R$ 60. Agenda: https://loja.example/agenda, tel. (11) 3456-7890.')];
const tools = offeredTools(offering, toolNames);
const check = (name: ToolCall['name'], input: unknown, offered = tools) =>
  checkCalls(modelRequest({ tools: offered, passages }), [{ id: 'from the model', name, input }])[0];

test('a call of an offered tool with an id that the server gave is made', () => {
  expect(check('book', { offer: 'o1' })).toEqual({
    ...{ call_id: '1', tool: 'book', input: { offer: 'o1' }, output: null },
  });
});

test('a search for times takes an appointment that may move, when the agent may move it', () => {
  const appointments = [{ id: 'a1', title: 'Corte', scheduled_at: '2027-01-05T10:00:00.000Z' }];
  const mayMove = offeredTools({ ...offering, appointments }, toolNames);
  const output = { error: 'invalid_input', faults: ['#/appointment is none that you were offered'] };
  expect(check('find_times', { appointment: 'a1' }, mayMove)).toMatchObject({ input: { appointment: 'a1' } });
  expect(check('find_times', { appointment: 'a2' }, mayMove)).toMatchObject({ input: null, output });
  const mayNot = offeredTools({ ...offering, appointments }, ['find_times', 'book']);
  for (const offered of [tools, mayNot]) {
    expect(check('find_times', { appointment: 'a1' }, offered)).toMatchObject({ input: null, output });
  }
});

test.each([
  ['an id that was not offered', 'book', { offer: 'o2' }, '#/offer is none that you were offered'],
  ['a service, of which the store has none', 'find_times', { service: 's' }, '#/service is none that you were offered'],
  ['no id', 'book', {}, '#/offer is required'],
  ['NUL', 'update_lead', { name: 'a\0' }, '#/name must not contain the character NUL'],
  ['half a character', 'update_lead', { name: '\ud83d' }, '#/name must be well-formed Unicode'],
] as const)('a call with %s is not made, and its input is not kept', (_, name, input, fault) => {
  expect(check(name, input)).toMatchObject({ input: null, output: { error: 'invalid_input', faults: [fault] } });
});

test('the schema of a decision is not compiled: it would stay in memory', () => {
  const properties = { offer: { anyOf: [{ const: 'o1' }] } };
  const notToCompile = Type.Unsafe({ type: 'nothing that can be compiled', properties });
  const offered = [{ name: 'book' as const, description: '', input: notToCompile }];
  expect(check('book', { offer: 'o1' }, offered)).toMatchObject({ output: null });
});

describe('a text that is kept goes through what an answer goes through', () => {
  test.each([
    'Corte grátis, pague em https://evil.example ou +55 11 97777-6666',
    'Pague em [nossa página](http://evil.example/p)',
    'Chave Pix: golpe@banco.example',
    'ev\u200bil.com/pix',
    'Ligue 11 97777 6666',
    'Volte! O corte custa R$ 5.',
    'Já agendei o seu corte.',
    '<think>R$ 5</think>',
  ])('%s', (text) => {
    for (const call of [check('schedule_followup', { days: 1, message: text }), check('update_lead', { name: text })]) {
      expect(call).toMatchObject({ input: null, output: { error: 'invalid_input', faults: [expect.any(String)] } });
      // The fault tells nothing of the text.
      expect(JSON.stringify(call)).not.toMatch(/evil|golpe|97777|R\$/);
    }
  });

  test.each([['Oi! O *corte* custa R$ 60: loja.example/agenda'], ['Ligue (11) 3456-7890.'], ['Oi, Ana! Quer marcar?']])(
    '%s',
    (message) => {
      expect(check('schedule_followup', { days: 1, message })).toMatchObject({ input: { message }, output: null });
    },
  );

  test('Markdown becomes the marks of WhatsApp, and a name stays as it is', () => {
    expect(check('schedule_followup', { days: 1, message: '**Oi**' })).toMatchObject({ input: { message: '*Oi*' } });
    expect(check('update_lead', { name: "Ana  d'Ávila" })).toMatchObject({ input: { name: "Ana  d'Ávila" } });
  });
});
