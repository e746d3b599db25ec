import { messageStatuses } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { bindingOf, filtersBeyond, filtersOf } from './message-list.ts';

const settled = new Date('2026-11-21T12:00:09Z');
const since = '2026-11-21T09:00:00-03:00';
const leadId = '0198F2A0-5C1E-7D6A-9F00-1B2C3D4E5F60';

test('without a filter, every status is listed', () => {
  expect(filtersOf({}, settled)).toEqual({ statuses: messageStatuses, updated_before: settled });
});

test('a direction is a set of statuses, and both filters hold', () => {
  expect(filtersOf({ direction: 'inbound' }, settled).statuses).toEqual(['received']);
  expect(filtersOf({ direction: 'outbound' }, settled).statuses).toEqual(
    messageStatuses.filter((status) => status !== 'received'),
  );
  expect(filtersOf({ direction: 'outbound', status: 'read,received, failed' }, settled).statuses).toEqual([
    'read',
    'failed',
  ]);
  expect(filtersOf({ direction: 'inbound', status: 'sent' }, settled).statuses).toEqual([]);
});

test('a moment has any offset, and a lead id any spelling', () => {
  expect(filtersOf({ since, lead_id: leadId }, settled)).toMatchObject({
    updated_after: new Date('2026-11-21T12:00:00Z'),
    lead_id: leadId.toLowerCase(),
  });
});

test('a cursor fits the same filters in any spelling, and no others', () => {
  const binding = bindingOf({ since, lead_id: leadId, status: 'sent,read,sent' });
  const same = { since: '2026-11-21T12:00:00Z', lead_id: leadId.toLowerCase(), status: 'read,sent' };
  expect(bindingOf(same)).toEqual(binding);
  expect(bindingOf({ ...same, direction: 'outbound' })).not.toEqual(binding);
});

test('a page after the first drops the bound that it has passed', () => {
  const filters = filtersOf({ since }, settled);
  const [before, after] = [new Date('2026-11-21T11:59:59Z'), new Date('2026-11-21T12:00:01Z')];
  expect(filtersBeyond(filters, after)).not.toHaveProperty('updated_after');
  expect(filtersBeyond(filters, before)).toEqual(filters);
});
