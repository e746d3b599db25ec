import { expect, test } from 'vitest';
import { assertAssignable, changeSeller, newSeller } from './seller.ts';

test('a seller is active unless said otherwise', () => {
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  expect(newSeller(body).is_active).toBe(true);
  expect(newSeller({ ...body, is_active: false }).is_active).toBe(false);
});

test('leads go to active sellers only', () => {
  expect(() => assertAssignable({ is_active: true })).not.toThrow();
  expect(() => assertAssignable({ is_active: false })).toThrow(expect.objectContaining({ code: 'seller_inactive' }));
  expect(() => assertAssignable(null)).toThrow(expect.objectContaining({ code: 'seller_not_found' }));
});

test('what is given changes, what is left out stays, and a change to the same is none', () => {
  const seller = { name: 'Ana', whatsapp_id: '5511900000100', is_active: true };
  expect(changeSeller(seller, { is_active: false })).toEqual({ ...seller, is_active: false });
  expect(changeSeller(seller, { name: 'Ana', whatsapp_id: '5511900000100' })).toBeNull();
});
