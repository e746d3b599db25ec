import { expect, test } from 'vitest';
import type { Message } from '../api/platform.ts';
import { askedEffects, lastOfAi } from './asking.ts';

const thread = (...sources: Message['source'][]) =>
  sources.map((source, place) => ({
    ...{ id: String(place), source },
    author: source === 'ai' ? ({ kind: 'agent', id: 'a', name: 'Bia' } as const) : null,
  }));

test.each<[Message['source'][], ReturnType<typeof lastOfAi>]>([
  [[], undefined],
  [['lead', 'seller', 'api'], undefined],
  [['ai', 'lead'], { id: '0', isAnswered: false }],
  // Only a person answers, and only what comes after the message.
  [['lead', 'followup', 'api', 'ai', 'ai', 'seller'], { id: '3', isAnswered: false }],
  [['lead', 'seller', 'lead', 'ai', 'ai'], { id: '3', isAnswered: true }],
])('of the messages %j, newest first, the last one of the AI is %j', (sources, found) => {
  expect(lastOfAi(thread(...sources))).toEqual(found);
});

test('a message of the AI that no agent wrote cannot be explained', () => {
  expect(lastOfAi([{ id: 'm', source: 'ai', author: { kind: 'agent', id: null, name: 'Bia' } }])).toBeUndefined();
});

test('a person decides about effects, and not about what was only looked up, was not allowed, or did not come to it', () => {
  const call = (tool: string, output: object, awaits_confirmation = false) => ({
    ...{ tool, input: {}, output: { ...output }, awaits_confirmation, offer: null },
  });
  const asked = [
    call('cancel', {}, true),
    call('book', { error: 'declined' }),
    call('move', { error: 'appointment_conflict' }),
    call('update_lead', { lead: {} }),
  ];
  const others = [
    call('find_times', { times: [] }),
    call('book', { error: 'handed_over' }),
    call('cancel', { error: 'invalid_input' }),
    call('teleport', { error: 'tool_not_offered' }),
  ];
  expect(askedEffects([...others, ...asked])).toEqual(asked);
});
