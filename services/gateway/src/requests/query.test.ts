import { getSummaryReport, listAppointments } from '@mostrador/contracts';
import { validateRequest } from '@mostrador/kit/rpc/validate';
import { expect, test } from 'vitest';
import { queryReader } from './query.ts';

const read = queryReader(listAppointments.request.query);

test('an integer is parsed from digits', () => {
  expect(read({ page: '2', limit: '50' }).query).toEqual({ page: 2, limit: 50 });
  expect(read({ page: '-1' }).query).toEqual({ page: -1 });
});

test.each(['1e2', '0x10', ' 5', '5 ', '+5', '5.0', '', 'NaN', '1_000', '\u0665'])('%j is not an integer', (text) => {
  const { query } = read({ limit: text });
  expect(query).toEqual({ limit: text });
  expect(validateRequest(listAppointments, { query })).toEqual([
    { in: 'query', name: 'limit', detail: 'must be an integer' },
  ]);
});

test('a number beyond every bound is a fault, not a wrong number', () => {
  const { query } = read({ limit: '9'.repeat(400) });
  expect(validateRequest(listAppointments, { query })).toHaveLength(1);
});

test('a boolean is parsed from true and false only', () => {
  const readBom = (bom: string) => queryReader(getSummaryReport.request.query)({ bom }).query.bom;
  expect(['true', 'false', 'TRUE', '1', ''].map(readBom)).toEqual([true, false, 'TRUE', '1', '']);
});

test('a text that looks like a number stays a text', () => {
  expect(read({ cursor: '12' }).query).toEqual({ cursor: '12' });
});

test('a repeated parameter is named', () => {
  expect(read({ limit: ['1', '2'], page: '1' })).toEqual({ query: { page: 1 }, repeated: ['limit'] });
});

test('__proto__ is an unknown parameter and changes no prototype', () => {
  const raw = Object.assign(Object.create(null) as Record<string, string>, { ['__proto__']: 'x' });
  const { query } = read(raw);
  expect(Object.keys(query)).toEqual(['__proto__']);
  expect(validateRequest(listAppointments, { query })).toHaveLength(1);
});
