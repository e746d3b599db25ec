import { expect, test } from 'vitest';
import { offeredBefore } from './stored-offers.ts';

const reader = { timezone: 'America/Sao_Paulo', title: 'Atendimento' };
const search = (...ids: string[]) => ({
  tool: 'find_times' as const,
  output: { times: ids.map((offer) => ({ offer, label: 'Tuesday 2027-01-05 10:30' })) },
});
const effect = (tool: 'book' | 'cancel') => ({ tool, output: { appointment: {} } });

test('the offers of all earlier turns are known from their searches', () => {
  expect(offeredBefore([[search('a')], [], [search('b')]], reader)).toEqual([
    { id: 'a', title: 'Atendimento', starts_at: new Date('2027-01-05T13:30:00Z') },
    { id: 'b', title: 'Atendimento', starts_at: new Date('2027-01-05T13:30:00Z') },
  ]);
});

test('a booking uses up the offers before it, and a cancellation none', () => {
  expect(offeredBefore([[search('a')], [effect('book')]], reader)).toEqual([]);
  expect(offeredBefore([[search('a')], [effect('book'), search('b')]], reader)).toMatchObject([{ id: 'b' }]);
  expect(offeredBefore([[search('a')], [effect('cancel')]], reader)).toMatchObject([{ id: 'a' }]);
});
