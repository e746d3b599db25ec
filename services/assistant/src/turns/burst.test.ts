import type { Message } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { burstOf, isFirstAnswer, linesBefore, newestOf, subjectOf } from './burst.ts';

const said = (minute: number, body: string, more: Partial<Message> = {}) =>
  ({
    ...{ direction: 'inbound', status: 'received', body, created_at: `2026-01-05T12:0${minute}:00.000Z` },
    ...more,
  }) as Message;

test('the conversation is what reached the other side and is not of the burst, the newest of it', () => {
  const store = { direction: 'outbound', status: 'delivered' } as const;
  const messages = [
    ...[said(0, 'oi'), said(1, 'olá', store), said(2, 'falhou', { ...store, status: 'failed' }), said(3, ' ')],
    ...[said(4, 'quero'), said(5, 'um momento', store), said(6, 'um horário')],
  ];
  const burst = burstOf(messages, new Date('2026-01-05T12:04:00.000Z'));
  expect(linesBefore(messages, burst?.messages ?? [], 2)).toEqual([
    { from: 'store', text: 'olá', at: '2026-01-05T12:01:00.000Z' },
    { from: 'store', text: 'um momento', at: '2026-01-05T12:05:00.000Z' },
  ]);
  expect(linesBefore(messages, burst?.messages ?? [], 20)).toHaveLength(3);
});

test('what the lead has deleted is not answered', () => {
  const since = new Date('2026-01-05T12:00:00.000Z');
  const deleted = said(1, '', { revoked_at: '2026-01-05T12:02:00.000Z' });
  expect(burstOf([deleted], since)).toBeUndefined();
  const [kept, later] = [said(0, 'oi', { revoked_at: null }), said(2, '', { revoked_at: '2026-01-05T12:03:00.000Z' })];
  expect(burstOf([kept, deleted, later], since)).toEqual({
    messages: [kept],
    answeredTo: new Date(later?.created_at as string),
  });
});

test('what a model is given has a limit: the beginning of each message before, and the newest of all', () => {
  const messages = Array.from({ length: 9 }, (_, minute) => said(minute, `${minute}${'😀'.repeat(4_000)}`));
  const lines = linesBefore(messages, [], 20);
  expect(lines.map(({ text }) => text[0])).toEqual(['5', '6', '7', '8']);
  expect(lines.every(({ text }) => [...text].length === 1_000)).toBe(true);
  expect(newestOf('a😀b', 2)).toBe('😀b');
});

const ofOurAi = { source: 'ai', author: { kind: 'agent', id: '1', name: 'Lia' } } as const;

test.each([
  ['the lead alone', [], true],
  ['a seller', [{ source: 'seller', author: { kind: 'user', id: '1', name: 'Ana' } }], true],
  ['an agent of the channel', [{ source: 'ai', author: { kind: 'agent', id: null, name: null } }], true],
  ['our AI', [{ source: 'ai', author: { kind: 'agent', id: '1', name: 'Lia' } }], false],
  ['our AI of an older version', [{ source: 'ai', author: null }], false],
  [
    'our AI in vain',
    [
      { ...ofOurAi, status: 'failed' },
      { ...ofOurAi, status: 'cancelled' },
    ],
    true,
  ],
  ['our AI, deleted', [{ ...ofOurAi, status: 'read', revoked_at: '2026-01-05T12:00:00.000Z' }], true],
  ['our AI, on its way', [{ ...ofOurAi, status: 'queued', revoked_at: null }], false],
] as const)('our AI introduces itself once, and not for an agent of the channel: after %s', (_, messages, isFirst) => {
  expect(isFirstAnswer(messages as Parameters<typeof isFirstAnswer>[0])).toBe(isFirst);
});

describe('a short question that goes on is searched for with the message before', () => {
  const at = '2026-01-05T12:00:00.000Z';
  const conversation = [
    { from: 'lead', text: 'oi', at },
    { from: 'lead', text: 'quanto custa o corte?', at },
    { from: 'store', text: 'R$ 60.', at },
  ] as const;

  test.each([
    ...[
      'e a barba?',
      'y la barba?',
      '¿Y la barba?',
      'and the beard?',
      'what about a beard?',
      'quanto custa?',
      'how much is it?',
    ],
    ...['E na sexta?', 'cuánto cuesta?', 'e isso?'],
  ])('%s', (text) => {
    expect(subjectOf(text, conversation)).toBe(`${text}\nquanto custa o corte?`);
    expect(subjectOf(text, [])).toBe(text);
  });

  test.each([
    ...['tem estacionamento?', 'obrigado!', 'quero marcar', 'vocês abrem no sábado?', '', 'Eduardo', '👍'],
    'e também gostaria de saber se vocês atendem crianças',
  ])('not: %s', (text) => {
    expect(subjectOf(text, conversation)).toBe(text);
  });
});
