import { expect, test } from 'vitest';
import type { Message } from '../api/platform.ts';
import { alternativesOf, hasAiWritten, isAnswered, keptUntil } from './asking.ts';

const thread = (...sources: Message['source'][]) => sources.map((source, place) => ({ id: String(place), source }));

test.each<[Message['source'][], string, boolean]>([
  [['ai', 'lead'], '0', false],
  // Only a person answers, and only what comes after the message.
  [['lead', 'followup', 'api', 'ai', 'ai', 'seller'], '3', false],
  [['lead', 'seller', 'lead', 'ai', 'ai'], '3', true],
])('of the messages %j, newest first, that with the id %s is answered by a person: %s', (sources, id, answered) => {
  expect(isAnswered(thread(...sources), id)).toBe(answered);
});

test('what no agent wrote asks for nothing', () => {
  const written = (source: Message['source'], id: string | null) => ({
    ...{ source, author: { kind: 'agent', id, name: 'Bia' } as const },
  });
  expect(hasAiWritten([written('ai', null), { source: 'seller', author: null }])).toBe(false);
  expect(hasAiWritten([written('ai', 'a')])).toBe(true);
});

test('a time is kept until its moment, and the answer to a refused effect may name others', () => {
  const offer = (held_until: string | null) => ({
    offer: { title: 'Corte', scheduled_at: '2026-01-12T14:00:00.000Z', duration_minutes: 30, held_until },
  });
  const at = '2026-01-12T13:00:00.000Z';
  const now = Date.parse(at);
  expect([null, at, '2026-01-12T13:00:00.001Z'].map((until) => keptUntil(offer(until), now)?.isOver)).toEqual([
    ...[undefined, true, false],
  ]);
  expect(keptUntil({ offer: null }, now)).toBeUndefined();
  expect([alternativesOf({}), alternativesOf({ alternatives: [at, 1] })]).toEqual([[], [at]]);
});
