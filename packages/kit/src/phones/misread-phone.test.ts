import { expect, test } from 'vitest';
import { nationalMeaning } from './misread-phone.ts';

test.each([
  ['51987650001', 'BR', '5551987650001'],
  ['4938765432', 'BR', '554938765432'],
  ['31977776666', 'BR', '5531977776666'],
  ['5551987650001', 'BR', undefined],
  ['51987650001', 'PE', undefined],
  ['51987650001', 'PT', undefined],
  ['14155552671', 'BR', undefined],
  ['4915123456789', 'DE', undefined],
  ['51987650001', 'AQ', undefined],
])('the phone %s in %s may be the national number %s', (phone, country, national) => {
  expect(nationalMeaning(phone, country)).toBe(national);
});
