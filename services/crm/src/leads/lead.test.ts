import { describe, expect, test } from 'vitest';
import { changeLead, type LeadRow, leadEtag, mergeLeads, newLead, toLead } from './lead.ts';

const at = new Date('2026-11-21T12:00:00.5Z');
const row: LeadRow = {
  id: 'l',
  store_id: 's',
  ...newLead({ name: 'Maria', customer_phone: '5511900000001' }),
  ...{ channel_name: null, channel_named_at: null },
  interaction_count: 2,
  ai_paused_until: null,
  ai_paused_by: null,
  ai_pause_version: 0,
  opted_out_at: null,
  opt_out_version: null,
  version: 3,
  created_at: at,
  updated_at: at,
};
const nothing = { external_id: null, email: null, tags: [], metadata: {} };
const content = {
  ...{
    name: 'Maria',
    customer_phone: '5511900000001',
    status: 'pending',
    seller_id: null,
    ai_paused_until: null,
    ai_paused_by: null,
  },
  ...{ channel_user_id: null, username: null },
  ...nothing,
};
const sellerId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

test('a lead with only a name and a phone is pending and has no seller', () => {
  expect(newLead({ name: 'Maria', customer_phone: '5511900000001' })).toEqual({
    name: 'Maria',
    customer_phone: '5511900000001',
    channel_user_id: null,
    username: null,
    previous_lead_id: null,
    status: 'pending',
    seller_id: null,
    ...nothing,
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

test('an opt-out is shown, and it and its end each change the ETag', () => {
  const stopped = { ...row, opted_out_at: at, opt_out_version: 1 };
  expect(toLead(stopped, at).opted_out_at).toBe('2026-11-21T12:00:00.500Z');
  expect([row, stopped, { ...row, opt_out_version: 2 }].map((lead) => leadEtag(lead, at))).toEqual([
    '"v3.2"',
    '"v3.2o1"',
    '"v3.2o2"',
  ]);
});

test('a change sets the given members and keeps the others', () => {
  expect(changeLead(row, { name: 'Ana' })).toEqual({ ...content, name: 'Ana' });
  const customer_phone = '5531977776666';
  expect(changeLead(row, { customer_phone })).toEqual({ ...content, customer_phone });
  expect(changeLead(row, { seller_id: sellerId.toUpperCase() })).toEqual({ ...content, seller_id: sellerId });
  expect(changeLead({ ...row, seller_id: sellerId }, { seller_id: null })).toEqual(content);
  expect(changeLead(row, { ai_paused_until: '2026-11-21T09:00:00.5-03:00' })).toEqual({
    ...content,
    ai_paused_until: at,
  });
  expect(changeLead({ ...row, ai_paused_until: at }, { ai_paused_until: null })).toEqual(content);
});

test('a pause has who began it, and its end has no one', () => {
  const [ana, key] = [
    { kind: 'user', id: 'u', name: 'Ana' },
    { kind: 'api_key', id: 'k', name: null },
  ] as const;
  const until = '2026-11-21T12:00:00.5Z';
  const paused = { ...row, ai_paused_until: at, ai_paused_by: ana };
  expect(changeLead(row, { ai_paused_until: until }, ana)).toMatchObject({ ai_paused_by: ana });
  expect(changeLead(paused, { ai_paused_until: until }, key)).toBeNull();
  expect(changeLead(paused, { name: 'Bia' }, key)).toMatchObject({ ai_paused_by: ana });
  expect(changeLead(paused, { ai_paused_until: '2026-11-21T13:00:00Z' }, key)).toMatchObject({ ai_paused_by: key });
  expect(changeLead(paused, { ai_paused_until: null }, key)).toMatchObject({ ai_paused_by: null });
  expect([at.getTime() - 1, at.getTime()].map((now) => toLead(paused, new Date(now)).ai_paused_by)).toEqual([
    ana,
    null,
  ]);
  const kept = { ...row, ai_paused_until: new Date(at.getTime() - 1), ai_paused_by: key };
  expect(mergeLeads(kept, paused)).toMatchObject({ ai_paused_by: ana });
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

const full = { external_id: 'c-1', email: 'Maria@example.com', tags: ['vip'], metadata: { plan: 'gold' } };

test('what the store knows of a lead is kept, replaced and cleared', () => {
  const known = { ...row, ...full };
  expect(changeLead(row, full)).toEqual({ ...content, ...full });
  expect(changeLead(known, { name: 'Ana' })).toEqual({ ...content, ...full, name: 'Ana' });
  expect(changeLead(known, { ...nothing, tags: null, metadata: null })).toEqual(content);
  expect(changeLead(known, { tags: ['new', 'vip', 'new'], metadata: { since: '2020' } })).toMatchObject({
    tags: ['new', 'vip'],
    metadata: { plan: 'gold', since: '2020' },
  });
  expect(changeLead(known, { tags: [], metadata: { plan: '' } })).toMatchObject({ tags: [], metadata: {} });
  expect(changeLead(known, { metadata: {} })).toBeNull();
});

test('the order of metadata makes no change, and that of tags does', () => {
  const known = { ...row, tags: ['a', 'b'], metadata: { a: '1', b: '2' } };
  expect(changeLead(known, { tags: ['a', 'b', 'a'], metadata: { b: '2', a: '1' } })).toBeNull();
  expect(changeLead(known, { tags: ['b', 'a'] })).toMatchObject({ tags: ['b', 'a'] });
});

test('tags that differ only in case are one, and the first spelling stays', () => {
  const body = { name: 'Maria', customer_phone: '5511900000001' };
  expect(newLead({ ...body, tags: ['VIP', 'vip', 'Água', 'ÁGUA', 'agua', 'Vip'] }).tags).toEqual([
    'VIP',
    'Água',
    'agua',
  ]);
  const known = { ...row, tags: ['VIP', 'old'] };
  expect(changeLead(known, { tags: ['vip', 'Old'] })).toBeNull();
  expect(changeLead(known, { tags: ['new', 'vip', 'NEW'] })?.tags).toEqual(['new', 'VIP']);
  expect(mergeLeads(known, { ...row, tags: ['Vip', 'OLD', 'more'] })?.tags).toEqual(['VIP', 'old', 'more']);
});

test('metadata of 50 members with the longest names and texts is accepted, and with two bytes a letter it is not', () => {
  const metadata = (letter: string) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`.padStart(40, letter), letter.repeat(500)]));
  const body = { name: 'Maria', customer_phone: '5511900000001' };
  expect(newLead({ ...body, metadata: metadata('x') }).metadata).toEqual(metadata('x'));
  const refused = { code: 'validation_failed', members: { errors: [{ pointer: '#/metadata' }] } };
  for (const refuse of [
    () => newLead({ ...body, metadata: metadata('é') }),
    () => changeLead(row, { metadata: metadata('é') }),
  ]) {
    expect(refuse).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    try {
      refuse();
    } catch (error) {
      expect(error).toMatchObject(refused);
    }
  }
});

describe('a merge', () => {
  test('gives the lead that stays what it lacks, and keeps its own values', () => {
    expect(mergeLeads(row, { ...row, ...full })).toEqual({ ...content, ...full });
    const kept = { ...row, ...full };
    const merged = { ...row, ...{ external_id: 'c-2', email: 'b@example.com' }, tags: ['new', 'vip'] };
    expect(mergeLeads(kept, { ...merged, metadata: { plan: 'free', toString: 'x' } })).toEqual({
      ...content,
      ...full,
      tags: ['vip', 'new'],
      metadata: { plan: 'gold', toString: 'x' },
    });
    expect(mergeLeads(kept, row)).toBeNull();
  });

  test('never gives a lead more tags or metadata than a request may', () => {
    const tags = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `tag ${from + n}`);
    const metadata = (names: string[]) => Object.fromEntries(names.map((name) => [name, 'é'.repeat(250)]));
    const kept = { ...row, tags: tags(0, 20), metadata: metadata(tags(0, 45)) };
    const merged = { ...row, tags: tags(10, 40), metadata: metadata(tags(40, 80)) };
    const { tags: all, metadata: data } = mergeLeads(kept, merged) ?? row;
    expect(all).toEqual(tags(0, 30));
    expect(Object.keys(data)).toEqual(tags(0, 50));
    expect(mergeLeads({ ...kept, metadata: metadata(tags(0, 49)) }, merged)?.metadata).toEqual(metadata(tags(0, 50)));
    const longNames = (from: number, to: number) => tags(from, to).map((tag) => tag.padEnd(40, 'é'));
    const wide = (from: number, to: number) =>
      Object.fromEntries(longNames(from, to).map((name) => [name, 'é'.repeat(500)]));
    expect(
      Object.keys(mergeLeads({ ...row, metadata: wide(0, 20) }, { ...row, metadata: wide(20, 50) })?.metadata ?? {}),
    ).toEqual(longNames(0, 26));
  });
});
