import { expect, test } from 'vitest';
import type { Service } from '../calendar/booking.ts';
import { bodyOfService, changesOfDraft, draftOfService, emptyService, faultsOfService } from './service-draft.ts';

const service: Service = {
  ...{ id: 'cut', name: 'Cut', duration_minutes: 45, price_text: 'R$ 80', seller_ids: ['ana', 'rui'] },
  ...{ buffer_before_minutes: null, buffer_after_minutes: 0, is_active: true },
};
const { id: _, ...body } = service;

test('a service and its form are the same, and null is not 0', () => {
  expect(bodyOfService(draftOfService(service))).toEqual(body);
  expect(changesOfDraft(draftOfService(service), draftOfService(service))).toEqual({});
});

test('only what was changed is sent', () => {
  const draft = { ...draftOfService(service), name: ' Cut ', price: ' ', bufferAfter: '', sellerIds: ['ana'] };
  expect(changesOfDraft(draftOfService(service), draft)).toEqual({
    ...{ price_text: null, buffer_after_minutes: null, seller_ids: ['ana'] },
  });
});

test.each([
  [{ name: 'Cut' }, []],
  [{ name: ' ' }, ['name']],
  [{ name: 'Cut', minutes: '' }, ['minutes']],
  [{ name: 'Cut', minutes: '0' }, ['minutes']],
  [{ name: 'Cut', minutes: '1441' }, ['minutes']],
  [{ name: 'Cut', minutes: '1.5' }, ['minutes']],
])('%j cannot be saved because of %j', (change, faults) => {
  expect(faultsOfService({ ...emptyService, ...change })).toEqual(faults);
});
