import { localTimeOf } from '@mostrador/hours/clock';
import { describe, expect, test } from 'vitest';
import { clocksIn, daysIn, sentencesOf, wrongWeekdays } from './moments.ts';

// A Thursday.
const today = localTimeOf(new Date('2026-11-26T15:00:00Z'), 'America/Sao_Paulo');
const at = (hours: number, minutes = 0) => hours * 60 + minutes;

test.each([
  ['às 15h', [[at(15)]]],
  ['às 10h30', [[at(10, 30), at(22, 30)]]],
  ['9:00 e 14:30', [[at(9), at(21)], [at(14, 30)]]],
  ['às 3 da tarde', [[at(15)]]],
  ['às três da tarde', [[at(15)]]],
  ['a las diez y media', [[at(10, 30), at(22, 30)]]],
  ['at 3 pm or 3:30 p.m.', [[at(15)], [at(15, 30)]]],
  ['at noon', [[at(12)]]],
  ['ao meio-dia', [[at(12)]]],
  ['das 9h às 18h', [[at(9), at(21)], [at(18)]]],
  ['at 9am', [[at(9)]]],
] as const)('times: %s', (text, clocks) => {
  expect(clocksIn(text)).toEqual(clocks);
});

test.each([
  ...['com 24h de antecedência', 'até 2h antes', 'R$ 10', '50%', 'dura 45 min', '27/11/2026', '(11) 3456-7890'],
  ...['as 3 opções', 'at 10%', 'são 2 horas', 'a partir de R$ 12', 'Rua Augusta, 150', '1. Corte'],
])('no time: %s', (text) => {
  expect(clocksIn(text)).toEqual([]);
});

test.each([
  ['amanhã', [{ weekday: 5, day: 27, month: 11 }]],
  ['depois de amanhã', [{ weekday: 6, day: 28, month: 11 }]],
  ['mañana por la mañana', [{ weekday: 5, day: 27, month: 11 }]],
  ['day after tomorrow', [{ weekday: 6, day: 28, month: 11 }]],
  ['na sexta-feira ou sábado', [{ weekday: 5 }, { weekday: 6 }]],
  ['dia 12', [{ day: 12 }]],
  ['12 de dezembro', [{ day: 12, month: 12 }]],
  ['December 12th', [{ day: 12, month: 12 }]],
  ['12/12/2026', [{ day: 12, month: 12 }]],
  ['2026-12-12', [{ day: 12, month: 12 }]],
  ['a segunda opção', []],
  ['de la mañana', []],
  ['hoje', [{ weekday: 4, day: 26, month: 11 }]],
])('days: %s', (text, days) => {
  expect(daysIn(text, today)).toEqual(days);
});

describe('a weekday that is not that of its date', () => {
  test.each([
    'Sexta, dia 12.',
    'sexta-feira, 28 de novembro',
    'Friday, November 26',
    'viernes 28 de noviembre',
    '28/11 (sexta)',
    'amanhã, quinta',
    'hoje é sexta',
    'Friday the 26th',
    'Tomorrow (Saturday)',
    'sábado (amanhã)',
  ])('%s', (text) => {
    expect(wrongWeekdays(text, today)).toHaveLength(1);
  });

  test.each([
    'sexta, dia 27',
    'sexta-feira, 27 de novembro às 9:00',
    'quarta, dia 25, você veio',
    'Friday, November 27',
    'sábado 28 de noviembre',
    '27/11 (sexta)',
    'amanhã, sexta',
    'amanhã ou sábado',
    'hoje é quinta',
    'sexta às 12h',
    'de segunda a sexta, das 9 às 12',
    'segunda 10 minutos',
    'sábado, dia 12',
  ])('not: %s', (text) => {
    expect(wrongWeekdays(text, today)).toEqual([]);
  });
});

test('sentences', () => {
  expect(sentencesOf('Temos às 3 p.m. amanhã. Quer? Sim!\nOk')).toEqual([
    'Temos às 3 p.m. amanhã.',
    'Quer?',
    'Sim!',
    'Ok',
  ]);
});
