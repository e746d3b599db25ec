import { expect, test } from 'vitest';
import { type Conversation, faultsOf, markOf, newestIn, type Said } from './answers.ts';

const lead = (number: number, place: number): Said => ({
  ...{ number, source: 'lead', body: `oi ${markOf(3, place)}`, status: 'received' },
});
const ai = (number: number, place: number, status = 'sent'): Said => ({
  ...{ number, source: 'ai', body: `visto ${markOf(3, place)} fim`, status },
});
const person = (number: number): Said => ({ number, source: 'seller', body: 'Sou eu.', status: 'sent' });
const sent = { state: 'sent', reason: null };
const of = (said: readonly Said[], turns: Conversation['turns'] = [sent]) => faultsOf({ leadId: 'l', said, turns });
const good = [lead(1, 1), lead(2, 2), ai(3, 2), lead(4, 3), ai(5, 3)];

test('the newest mark of a text is found', () => {
  expect([newestIn('l3k9 e l3k12.'), newestIn('nada l3k')]).toEqual([12, 0]);
});

test.each<[string, readonly Said[], Conversation['turns']]>([
  ['answers in order', good, [sent, sent]],
  [
    'an answer to a burst',
    [lead(1, 1), lead(2, 2), lead(3, 3), ai(4, 3)],
    [{ state: 'superseded', reason: null }, sent],
  ],
  [
    'a person who took over',
    [lead(1, 1), ai(2, 1), person(3), lead(4, 2)],
    [sent, { state: 'silent', reason: 'ai_paused' }],
  ],
  ['an answer after a cancelled one', [lead(1, 1), ai(2, 1, 'cancelled'), ai(3, 1)], [sent]],
  [
    'a hand-over',
    [lead(1, 1), { ...ai(2, 1), body: 'Uma pessoa vai responder.' }],
    [{ state: 'handed_over', reason: 'no_text' }],
  ],
])('%s is right', (_, said, turns) => expect(of(said, turns)).toEqual([]));

test.each<[string, readonly Said[], Conversation['turns'], string]>([
  ['a double answer', [...good, ai(6, 3)], [sent], '3 is answered twice'],
  ['a stale answer', [lead(1, 1), lead(2, 2), ai(3, 1), ai(4, 2)], [sent], 'the answer 3 has not seen 2'],
  ['an answer after a person', [lead(1, 1), person(2), ai(3, 1)], [sent], 'the answer 3 came after a person'],
  ['a lost message', [...good, lead(6, 4)], [sent], '4 has no answer, and the last turn is sent (null)'],
  [
    'a cancelled answer',
    [lead(1, 1), ai(2, 1, 'cancelled')],
    [sent],
    '1 has no answer, and the last turn is sent (null)',
  ],
  ['a failed answer', [lead(1, 1), ai(2, 1, 'failed')], [sent], '1 has no answer, and the last turn is sent (null)'],
  [
    'a cancelled answer after a person',
    [lead(1, 1), person(2), ai(3, 1, 'cancelled')],
    [sent],
    'the answer 3 came after a person',
  ],
  ['an open turn', good, [sent, { state: 'open', reason: null }], 'a turn is open'],
  ['no turn', [lead(1, 1)], [], 'there was no turn'],
])('%s is a fault', (_, said, turns, fault) => expect(of(said, turns)).toEqual([`lead l: ${fault}`]));
