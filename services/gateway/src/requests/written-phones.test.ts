import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { type OpenReading, phonesReader, settledPhone } from './written-phones.ts';

const read = phonesReader(Type.Object({ phone: Type.String({ format: 'phone' }), name: Type.String() }));
const ambiguous: OpenReading = { kind: 'ambiguous', international: '51987650001', national: '5551987650001' };
const likely: OpenReading = { kind: 'likely', phone: '5531977776666', other: '31977776666' };

test('only phones are read, in a copy, and one of two numbers stays open', () => {
  const part = { phone: '51987650001', name: '51987650001' };
  expect(read(part, 'BR')).toEqual({ part, open: { phone: ambiguous } });
  expect(read({ phone: '+51 987 650 001' }, 'BR')).toEqual({ part: { phone: '51987650001' }, open: {} });
  expect(read({ phone: 'abc' }, 'BR')).toEqual({ part: { phone: 'abc' }, open: {} });
  for (const other of [{ phone: 7 }, ['51987650001'], 'text', null])
    expect(read(other, 'BR')).toEqual({ part: other, open: {} });
});

test.each<[string, OpenReading, string[], string | undefined]>([
  ['of two numbers that exist, the one that the store knows', ambiguous, ['5551987650001'], '5551987650001'],
  ['or the other one', ambiguous, ['51987650001'], '51987650001'],
  ['none when it knows none', ambiguous, [], undefined],
  ['none when it knows both', ambiguous, ['51987650001', '5551987650001'], undefined],
  ['the likely one', likely, [], '5531977776666'],
  ['the likely one, also when it knows both', likely, ['31977776666', '5531977776666'], '5531977776666'],
  ['what was written digit by digit, when it knows only that', likely, ['31977776666'], '31977776666'],
])('a phone means %s', (_, reading, known, phone) => {
  expect(settledPhone(reading, known)).toBe(phone);
});
