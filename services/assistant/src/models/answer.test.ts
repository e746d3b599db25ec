import { describe, expect, test } from 'vitest';
import { passage } from '../../test/assistant.ts';
import { modelRequest } from '../../test/model-request.ts';
import { parseAnswer, toDecision } from './answer.ts';
import { introductionTo } from './introduction.ts';
import { decisionOf } from './sdk-model.ts';

const passages = [passage('Preços', 'Corte: R$ 60.'), passage('Horários', 'Das 9 às 18.')];
const request = modelRequest({ passages });
const answer = (more: object) => ({ action: 'reply', text: 'Custa R$ 60.', used_passages: [1], ...more });

test('citations are checked on the server: only passages that were given count, each once', () => {
  const decision = toDecision(answer({ used_passages: [2, 0, -1, 3, 2, 99] }), request);
  expect(decision).toEqual({ action: 'reply', text: 'Custa R$ 60.', usedPassages: [1] });
});

test.each(['reply', 'hand_over'])('the text of a first %s has no introduction: that stands before it', (action) => {
  const first = { ...request, isFirst: true };
  expect(toDecision(answer({ action }), first)).toMatchObject({ action, text: 'Custa R$ 60.' });
  expect(introductionTo('Custa R$ 60.', first)).toEqual(['Olá, aqui é Ana, a assistente de IA da loja.']);
});

test('a hand-over has a text for the lead, also when the model has none', () => {
  expect(toDecision(answer({ action: 'hand_over', text: '' }), request)).toMatchObject({
    ...{ action: 'hand_over', reason: 'agent_decided', text: expect.stringContaining('pessoa da equipe') },
  });
});

test('an answer needs no words of its own when the server tells what the tools have done', () => {
  const results = [{ id: '1', name: 'book' as const, input: {}, output: { appointment: { title: 'Corte' } } }];
  expect(toDecision(answer({ text: '' }), { ...request, results })).toMatchObject({ action: 'reply', text: '' });
});

test('silence is a decision', () => {
  expect(toDecision(answer({ action: 'silent', text: '' }), request)).toEqual({
    ...{ action: 'silent', reason: 'no_answer_needed' },
  });
});

test.each([
  ['bare', '{"action":"silent","text":"","used_passages":[]}'],
  ['between fences', 'Sure!\n```json\n{"action":"silent","text":"","used_passages":[]}\n```'],
  ['after reasoning', '<think>{no}</think>{"action":"silent","text":"","used_passages":[]}'],
  ['inside a sentence', 'Here: {"action":"silent","text":"","used_passages":[]} Done.'],
])('an answer is read: %s', (_, text) => {
  expect(parseAnswer(text)).toMatchObject({ action: 'silent' });
});

describe('malformed, and never sent', () => {
  test.each([
    ['no answer', ''],
    ['a sentence', 'Custa R$ 60.'],
    ['half of one', '{"action":"reply","text":"Custa'],
    ['a flood', `{"action":"silent","text":"","used_passages":[]}${' '.repeat(64 * 1024)}`],
  ])('%s', (_, text) => {
    expect(() => parseAnswer(text)).toThrow('malformed');
  });

  test.each([
    ['another action', answer({ action: 'give_discount' })],
    ['no text', answer({ text: '' })],
    ['only reasoning', answer({ text: '<think>hm</think>' })],
    ['only what was removed', answer({ text: 'https://evil.example' })],
    ['a number for a text', answer({ text: 60 })],
    ['more than a message holds', answer({ text: 'a'.repeat(4097) })],
    ['a book', answer({ text: 'a'.repeat(100_000) })],
    ['a list', [answer({})]],
    ['null', null],
  ])('%s', (_, given) => {
    expect(() => toDecision(given, request)).toThrow('malformed');
  });
});

test('a price that only the lead names is removed, and one that the store has written stays', () => {
  const at = '2026-11-27T12:00:00Z';
  const lines = [
    { from: 'lead', text: 'Ana disse R$ 5.', at },
    { from: 'store', text: 'A barba custa R$ 35. 1. sábado às 9:00', at },
  ] as const;
  const text = 'Corte R$ 60, barba R$ 35, ou R$ 5, R$ 1 e R$ 7.';
  expect(toDecision(answer({ text }), { ...request, conversation: lines })).toMatchObject({
    text: 'Corte R$ 60, barba R$ 35, ou […], […] e […].',
  });
});

describe('tools', () => {
  const offered = modelRequest({
    passages,
    tools: [{ name: 'find_times', description: 'Finds times.', input: { type: 'object' } as never }],
  });
  const call = (toolName: string, input: unknown = {}) => ({ toolCallId: 'c1', toolName, input });
  const decided = (toolCalls: ReturnType<typeof call>[], finishReason = 'tool-calls') =>
    decisionOf({ text: '', toolCalls, finishReason }, offered);

  test('a call of an offered tool is asked for, and an answer beside it waits for its result', () => {
    expect(decided([call('answer', answer({})), call('find_times', { day: 'x' })])).toEqual({
      ...{ action: 'use_tools', calls: [{ id: 'c1', name: 'find_times', input: { day: 'x' } }] },
    });
  });

  test('the answer is a call, too', () => {
    expect(decided([call('answer', answer({}))])).toMatchObject({ action: 'reply', text: 'Custa R$ 60.' });
  });

  test('a tool that was not offered is malformed', () => {
    expect(() => decided([call('give_discount')])).toThrow('malformed');
  });

  test('a refusal and an answer that has no end are no answers', () => {
    expect(() => decided([], 'content-filter')).toThrow('refused');
    expect(() => decided([], 'length')).toThrow('malformed');
  });
});
