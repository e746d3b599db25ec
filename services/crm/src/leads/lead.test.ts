import { expect, test } from 'vitest';
import { newLead, toLead } from './lead.ts';

test('a lead of which only name and phone are given is pending and has no seller', () => {
  expect(newLead({ name: 'Maria', customer_phone: '5511900000001' })).toEqual({
    name: 'Maria',
    customer_phone: '5511900000001',
    status: 'pending',
    seller_id: null,
  });
});

test('the version stays inside', () => {
  const at = new Date('2026-11-21T12:00:00.5Z');
  const row = { id: 'l', store_id: 's', ...newLead({ name: 'Maria', customer_phone: '5511900000001' }) };
  const lead = toLead({
    ...row,
    interaction_count: 2,
    ai_paused_until: at,
    version: 3,
    created_at: at,
    updated_at: at,
  });
  expect(lead).not.toHaveProperty('version');
  expect(lead).toMatchObject({ interaction_count: 2, ai_paused_until: '2026-11-21T12:00:00.500Z' });
});
