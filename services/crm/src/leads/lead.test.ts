import { expect, test } from 'vitest';
import { changeLead, type LeadRow, newLead, toLead } from './lead.ts';

const at = new Date('2026-11-21T12:00:00.5Z');
const row: LeadRow = {
  id: 'l',
  store_id: 's',
  ...newLead({ name: 'Maria', customer_phone: '5511900000001' }),
  interaction_count: 2,
  ai_paused_until: null,
  version: 3,
  created_at: at,
  updated_at: at,
};
const content = { name: 'Maria', status: 'pending', seller_id: null, ai_paused_until: null };
const sellerId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

test('a lead with only a name and a phone is pending and has no seller', () => {
  expect(newLead({ name: 'Maria', customer_phone: '5511900000001' })).toEqual({
    name: 'Maria',
    customer_phone: '5511900000001',
    status: 'pending',
    seller_id: null,
  });
});

test('the API does not return the version', () => {
  const lead = toLead(row, at);
  expect(lead).not.toHaveProperty('version');
  expect(lead).toMatchObject({ interaction_count: 2, created_at: '2026-11-21T12:00:00.500Z' });
});

test('a pause of the AI is shown until it is over', () => {
  const paused = { ...row, ai_paused_until: at };
  const shownAt = (ms: number) => toLead(paused, new Date(at.getTime() + ms)).ai_paused_until;
  expect(shownAt(-1)).toBe('2026-11-21T12:00:00.500Z');
  expect(shownAt(0)).toBeNull();
});

test('a change sets the given members and keeps the others', () => {
  expect(changeLead(row, { name: 'Ana' })).toEqual({ ...content, name: 'Ana' });
  expect(changeLead(row, { seller_id: sellerId.toUpperCase() })).toEqual({ ...content, seller_id: sellerId });
  expect(changeLead({ ...row, seller_id: sellerId }, { seller_id: null })).toEqual(content);
  expect(changeLead(row, { ai_paused_until: '2026-11-21T09:00:00.5-03:00' })).toEqual({
    ...content,
    ai_paused_until: at,
  });
  expect(changeLead({ ...row, ai_paused_until: at }, { ai_paused_until: null })).toEqual(content);
});

test('any status may follow any other', () => {
  const statuses = ['pending', 'in_progress', 'converted', 'lost'] as const;
  for (const from of statuses) {
    for (const status of statuses.filter((word) => word !== from)) {
      expect(changeLead({ ...row, status: from }, { status })).toEqual({ ...content, status });
    }
  }
});

test('a change to the current values is null', () => {
  const full = { ...row, seller_id: sellerId, ai_paused_until: at };
  expect(changeLead(row, { name: 'Maria', status: 'pending', seller_id: null, ai_paused_until: null })).toBeNull();
  expect(changeLead(full, { seller_id: sellerId, ai_paused_until: '2026-11-21T12:00:00.500Z' })).toBeNull();
});
