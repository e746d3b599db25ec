import { expect, test } from 'vitest';
import { assertAssignable, assertHours, changeSeller, newSeller } from './seller.ts';

test('a new seller is active by default', () => {
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  expect(newSeller(body).is_active).toBe(true);
  expect(newSeller({ ...body, is_active: false }).is_active).toBe(false);
});

test('a lead can be assigned only to an active seller', () => {
  expect(() => assertAssignable({ is_active: true })).not.toThrow();
  expect(() => assertAssignable({ is_active: false })).toThrow(expect.objectContaining({ code: 'seller_inactive' }));
  expect(() => assertAssignable(null)).toThrow(expect.objectContaining({ code: 'seller_not_found' }));
});

test('a change sets the given members and keeps the others, and a change to the current values is null', () => {
  const seller = { name: 'Ana', whatsapp_id: '5511900000100', is_active: true, bookable: false, hours: null };
  expect(changeSeller(seller, { is_active: false })).toEqual({ ...seller, is_active: false });
  expect(changeSeller(seller, { name: 'Ana', whatsapp_id: '5511900000100' })).toBeNull();
  const hours = [{ weekday: 1, from: '09:00', to: '18:00' }];
  expect(changeSeller(seller, { bookable: true, hours })).toEqual({ ...seller, bookable: true, hours });
  expect(changeSeller({ ...seller, hours }, { hours: structuredClone(hours) })).toBeNull();
  expect(changeSeller({ ...seller, hours }, { hours: null })).toEqual(seller);
  const wrong = [{ weekday: 1, from: '18:00', to: '09:00' }];
  expect(() => assertHours(wrong)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});
