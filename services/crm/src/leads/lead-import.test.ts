import { expect, test } from 'vitest';
import { newLead } from './lead.ts';
import { oneOfEachPhone, splitByAssignable } from './lead-import.ts';

const active = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
const inactive = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f61';
const unknown = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62';
const lead = (customer_phone: string, seller_id: string | null = null) =>
  newLead({ name: `of ${customer_phone}`, customer_phone, seller_id });

test('a lead whose seller is unknown or inactive is rejected by its index, and the others are accepted', () => {
  const leads = [lead('5511900000001', unknown), lead('5511900000002'), lead('5511900000003', inactive)];
  const sellers = [
    { id: active, is_active: true },
    { id: inactive, is_active: false },
  ];
  expect(splitByAssignable([...leads, lead('5511900000004', active.toUpperCase())], sellers)).toEqual({
    accepted: [lead('5511900000002'), lead('5511900000004', active.toUpperCase())],
    refused: [
      { index: 0, code: 'seller_not_found' },
      { index: 2, code: 'seller_inactive' },
    ],
  });
});

test('of several leads with one phone the first stays, and the result is sorted by phone', () => {
  const again = { ...lead('5511900000002'), name: 'again' };
  expect(oneOfEachPhone([lead('5511900000002'), again, lead('5511900000001')])).toEqual([
    lead('5511900000001'),
    lead('5511900000002'),
  ]);
  const other = lead('551181112222');
  expect(oneOfEachPhone([other, lead('5511900000001'), lead('5511981112222')])).toEqual([lead('5511900000001'), other]);
});
