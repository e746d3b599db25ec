import { expect, test } from 'vitest';
import { type EndState, judge } from './judge.ts';

const nothing: EndState = {
  ...{ appointments: [], handedOver: false, followups: [], lead: {}, replies: [], cited: [], lastIsSilent: false },
};
const booked = { day: 1, time: '10:00', status: 'scheduled' };

test('what is not named must not have happened', () => {
  expect(judge({}, nothing)).toEqual([]);
  const much: EndState = {
    ...nothing,
    ...{ appointments: [booked], handedOver: true, followups: [3], lead: { status: 'lost' } },
  };
  expect(judge({}, much).map((fault) => fault.split(':')[0])).toEqual([
    ...['appointments', 'handed_over', 'followups', 'lead'],
  ]);
});

test('an appointment at another time, or with another status, is not the expected one', () => {
  const ending = { appointments: [{ day: 1, time: '10:00' }] };
  expect(judge(ending, { ...nothing, appointments: [booked] })).toEqual([]);
  expect(judge(ending, { ...nothing, appointments: [{ ...booked, time: '11:00' }] })).toHaveLength(1);
  expect(judge(ending, { ...nothing, appointments: [{ ...booked, status: 'cancelled' }] })).toHaveLength(1);
});

test('a fact counts in any of its forms, without case, accents and marks', () => {
  const replies = ['Olá!', 'O *corte*  custa\n60 REAIS.'];
  expect(judge({ told: ['o corte custa 60 reais', ['45 reais', '60 reais']] }, { ...nothing, replies })).toEqual([]);
  expect(judge({ told: ['70 reais'], never_told: ['60 reais'] }, { ...nothing, replies })).toHaveLength(2);
});

test('a quote needs its source, and an expected silence no answer', () => {
  expect(judge({ cites: 'Preços', silent: true }, { ...nothing, cited: ['Preços'], lastIsSilent: true })).toEqual([]);
  expect(judge({ cites: 'Preços', silent: true }, { ...nothing, cited: ['Trocas'] })).toHaveLength(2);
});
