import type { WebhookFilter } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { faultsOfFilters } from './endpoint-filters.ts';

const faults = (filter: object, event_types: readonly string[] | null = null, areGiven = true) =>
  faultsOfFilters({ filters: [filter as WebhookFilter], event_types }, areGiven);

test.each([
  { type: 'lead.updated', member: 'status', value: 'converted' },
  { type: 'lead.updated', member: 'seller_id', value: null },
  { type: 'lead.updated', member: 'tags' },
  { type: 'seller.updated', member: 'is_active', value: false },
  { type: 'appointment.updated', member: 'duration_minutes', value: 30 },
])('%j is a filter', (filter) => {
  expect(faults(filter)).toEqual([]);
  expect(faults(filter, ['lead.created', filter.type])).toEqual([]);
});

test.each([
  [{ member: 'stage' }, '#/filters/0/member', /^must be one of: id, .*status/],
  [{ member: 'constructor' }, '#/filters/0/member', /^must be one of/],
  [{ member: 'updated_at' }, '#/filters/0/member', /^must be one of/],
  [{ member: 'status', value: 'won' }, '#/filters/0/value', /^must be one of: pending/],
  [{ member: 'status', value: null }, '#/filters/0/value', /^must be one of: pending/],
  [{ member: 'name', value: 5 }, '#/filters/0/value', /^must be a string/],
  [{ member: 'name', value: { first: 'Ana' } }, '#/filters/0/value', /^must be a text, a number/],
  [{ member: 'tags', value: 'vip' }, '#/filters/0/value', /^must be left out/],
])('%j is none: the fault is at %s', (members, pointer, detail) => {
  expect(faults({ type: 'lead.updated', ...members })).toEqual([{ pointer, detail: expect.stringMatching(detail) }]);
});

test('the event types of the endpoint have the type of each filter', () => {
  const filter = { type: 'lead.updated', member: 'status' };
  expect(faults(filter, ['lead.created'])).toEqual([
    { pointer: '#/filters/0/type', detail: 'must be one of `event_types`' },
  ]);
  expect(faults(filter, ['lead.created'], false)).toEqual([
    { pointer: '#/event_types', detail: 'must have every type of `filters`' },
  ]);
});
