import { toolNames } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { modelRequest } from '../../test/model-request.ts';
import { dishonest, dishonestThen } from '../../test/replies/dishonest.ts';
import { documents } from '../../test/replies/documents.ts';
import { honest, honestThen, type State } from '../../test/replies/honest.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { cleanText, faultOf } from './clean-text.ts';
import type { ModelRequest } from './model.ts';
import { removed } from './unknown-addresses.ts';

type Language = keyof typeof documents;

const at = (time: string) => `2026-11-27T${time}:00.000Z`;
const done: Readonly<Record<Exclude<State, 'has_one'>, readonly ['book' | 'move' | 'cancel', string]>> = {
  booked: ['book', '10:00'],
  moved: ['move', '10:00'],
  cancelled: ['cancel', '09:00'],
};

/** A lead who was offered three times of Friday. Without a state it has no appointment. */
function requestIn(language: Language, state?: State): ModelRequest {
  const [name, time] = state === undefined || state === 'has_one' ? [] : done[state];
  const appointments =
    state === 'has_one' || state === 'moved' ? [{ id: 'a', title: 'Corte', scheduled_at: at('09:00') }] : [];
  return modelRequest({
    ...(name && {
      results: [{ id: '1', name, input: {}, output: { appointment: { scheduled_at: at(time as string) } } }],
    }),
    // A Thursday.
    ...{ locale: language, now: '2026-11-26T12:00:00.000Z', text: '' },
    passages: documents[language].map((text, place) => ({
      ...{ document_id: String(place), position: 0, title: 'Store', text, highlight: text, score: 1 },
    })) as unknown as ModelRequest['passages'],
    tools: offeredTools(
      {
        ...{ books: true, services: [], appointments, timezone: 'UTC' },
        offers: ['09:00', '10:00', '15:00'].map((time) => ({
          ...{ id: time, title: 'Corte', starts_at: new Date(at(time)) },
        })),
      },
      toolNames,
    ),
  });
}
const each = (replies: Readonly<Record<Language, readonly string[]>>) =>
  (Object.keys(replies) as Language[]).flatMap((language) => replies[language].map((text) => ({ language, text })));

/** What is done to a reply. */
const judge = (text: string, request: ModelRequest) => ({
  told: cleanText(text, request),
  fault: faultOf(text, request),
});

test('there are at least 100 honest replies and 60 that are not', () => {
  expect(new Set(each(honest).map(({ text }) => text)).size).toBeGreaterThanOrEqual(100);
  expect(new Set(each(dishonest).map(({ text }) => text)).size).toBeGreaterThanOrEqual(60);
});

describe('an honest reply reaches the customer as it was written', () => {
  test.each(each(honest))('$language: $text', ({ language, text }) => {
    expect(judge(text, requestIn(language))).toEqual({ told: text, fault: undefined });
  });

  test.each(honestThen)('$state, $language: $text', ({ state, language, text }) => {
    expect(judge(text, requestIn(language, state))).toEqual({ told: text, fault: undefined });
  });
});

describe('a reply that no row or document bears out does not reach the customer', () => {
  test.each(each(dishonest))('$language: $text', ({ language, text }) => {
    const { told, fault } = judge(text, requestIn(language));
    expect(fault ?? (told.includes(removed) ? 'removed' : undefined)).toBeDefined();
  });

  test.each(dishonestThen)('$state, $language: $text', ({ state, language, text }) => {
    expect(judge(text, requestIn(language, state)).fault).toBeDefined();
  });
});
