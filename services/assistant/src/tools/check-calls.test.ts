import { toolNames } from '@mostrador/contracts';
import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import type { ToolCall } from '../models/model.ts';
import { checkCalls } from './check-calls.ts';
import { offeredTools } from './offered-tools.ts';

const offering = {
  ...{ books: true, services: [], appointments: [], timezone: 'UTC' },
  offers: [{ id: 'o1', starts_at: new Date('2027-01-05T10:00:00Z'), title: 'Corte' }],
};
const tools = offeredTools(offering, toolNames);
const check = (name: ToolCall['name'], input: unknown, offered = tools) =>
  checkCalls(offered, [{ id: 'from the model', name, input }])[0];

test('a call of an offered tool with an id that the server gave is made', () => {
  expect(check('book', { offer: 'o1' })).toEqual({
    ...{ call_id: '1', tool: 'book', input: { offer: 'o1' }, output: null },
  });
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
