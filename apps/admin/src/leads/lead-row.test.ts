import { expect, test } from 'vitest';
import { UsageError } from '../exit.ts';
import { columnsOf, delimiterOf, readLead as readLeadIn } from './lead-row.ts';

const readLead = (
  fields: string[],
  columns: Parameters<typeof readLeadIn>[1],
  country: string | null = null,
  phones?: 'national' | 'international',
) => readLeadIn(fields, columns, { country, phones });
const strict = { ignoreOthers: false };
const seller = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
const faultsOf = (header: string[], options = strict): readonly string[] => {
  try {
    columnsOf(header, options);
  } catch (error) {
    if (error instanceof UsageError) return error.faults;
    throw error;
  }
  return [];
};

test('a lead has its external id and email, and its tags from one cell', () => {
  const columns = columnsOf(['name', 'customer_phone', 'external_id', 'email', 'tags'], strict);
  const row = (email: string, tags: string) => readLead(['Maria', '5511900000001', 'c-1', email, tags], columns);
  expect(row('maria@example.com', 'vip, nova cliente,,')).toMatchObject({
    lead: { external_id: 'c-1', email: 'maria@example.com', tags: ['vip', 'nova cliente'] },
  });
  expect(row('maria', 'x'.repeat(41))).toEqual({
    fault: 'email must be an email address, such as ana@example.com; tags/0 must have at most 40 characters',
  });
  expect(row('', ',')).toMatchObject({ lead: { tags: [] } });
});

test('columns can have any order and letter case, and an empty cell leaves out the member', () => {
  const columns = columnsOf([' Status', 'CUSTOMER_PHONE', 'seller_id', 'Name'], strict);
  expect(readLead(['lost', '5511900000001', seller, ' Maria '], columns)).toEqual({
    lead: { name: 'Maria', customer_phone: '5511900000001', status: 'lost', seller_id: seller },
    phoneChanged: false,
  });
  expect(readLead(['', '5511900000001', ' ', 'Maria'], columns)).toMatchObject({ lead: { status: 'pending' } });
});

test('an invalid header is rejected with all of its faults', () => {
  expect(faultsOf(['name', 'Name', 'e-mail', 'statuss'])).toEqual([
    'the file has no column customer_phone',
    'the file has the column name twice',
    expect.stringMatching(/"e-mail", "statuss".+--ignore-other-columns/),
  ]);
});

test('ignoreOthers skips unknown columns', () => {
  const columns = columnsOf(['name', 'email', 'customer_phone'], { ignoreOthers: true });
  expect(readLead(['Maria', 'm@example.com', '5511900000001'], columns)).toMatchObject({ lead: { name: 'Maria' } });
});

test.each([
  ['name,customer_phone,status', ','],
  ['name;customer_phone;status\r', ';'],
  ['name\tcustomer_phone', '\t'],
  ['customer_phone', ','],
])('the separator of %j is %j', (header, delimiter) => {
  expect(delimiterOf(header)).toBe(delimiter);
});

test.each([
  ['+55 (11) 90000-0000', '5511900000000'],
  ['55.11.90000.0000', '5511900000000'],
  ['55\u00a011\u20139000\u20110000', '551190000000'],
  ['5511900000000', '5511900000000'],
  ['(11) 90000-0000', '5511900000000'],
])('in a store in Brazil the phone %s becomes %s', (written, customer_phone) => {
  const columns = columnsOf(['name', 'customer_phone'], strict);
  expect(readLead(['Maria', written], columns, 'BR')).toMatchObject({ lead: { customer_phone } });
});

test('digits of two countries are read as the import says, else they are a fault', () => {
  const columns = columnsOf(['name', 'customer_phone'], strict);
  const read = (phones?: 'national' | 'international') => readLead(['Maria', '51987650001'], columns, 'BR', phones);
  expect(read('national')).toMatchObject({ lead: { customer_phone: '5551987650001' } });
  expect(read('international')).toMatchObject({ lead: { customer_phone: '51987650001' } });
  expect(read()).toEqual({
    fault:
      'customer_phone is a number of two countries: write `+5551987650001` or `+51987650001`, ' +
      'or import the file with --phones national or international',
  });
});

test.each(['5511900000001.0', '5.5119E+12', '+', '55 11 CALL-NOW', '55+11900000000', '١١٩٠٠٠٠٠٠٠٠'])(
  'the phone %s is rejected, not guessed',
  (written) => {
    expect(readLead(['Maria', written], columnsOf(['name', 'customer_phone'], strict))).toHaveProperty('fault');
  },
);

test.each([
  [['Maria', '123'], /^customer_phone must be a phone number with its country code, such as 5511961234567$/],
  [['', '5511900000001'], /^name is required$/],
  [['x'.repeat(201), '0'], /name must have at most 200 characters.*; customer_phone|customer_phone.*; name must/],
  [['Maria'], /^has 1 field, but the header has 2 columns$/],
  [['Maria', '5511900000001', ''], /^has 3 fields/],
  [['Jos\ufffd', '5511900000001'], /UTF-8/],
  [['a\0b', '5511900000001'], /NUL/],
])('the row %j is rejected with its reason', (fields, reason) => {
  expect(readLead(fields, columnsOf(['name', 'customer_phone'], strict))).toEqual({
    fault: expect.stringMatching(reason),
  });
});

test('a corrected file of rejected rows can be imported, without the apostrophes that guarded its cells', () => {
  const columns = columnsOf(['line', 'reason', 'name', 'customer_phone'], strict);
  expect(readLead(['7', 'name is required', "'=Maria", "'+55 11 90000-0001"], columns)).toEqual({
    lead: { name: '=Maria', customer_phone: '5511900000001', status: 'pending' },
    phoneChanged: true,
  });
});
