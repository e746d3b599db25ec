import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberFields, readNumber } from './number.ts';

const v23 = 'https://graph.facebook.com/v23.0';
const v24 = 'https://graph.facebook.com/v24.0';

test.each([
  [v23, 'messaging_limit_tier'],
  [v24, 'whatsapp_business_manager_messaging_limit'],
  ['https://graph.facebook.com/v100.0', 'whatsapp_business_manager_messaging_limit'],
  ['https://proxy.example/whatsapp', 'messaging_limit_tier'],
])('%s is asked for %s', (apiUrl, field) => {
  expect(numberFields(apiUrl).split(',')).toEqual([
    ...['status', 'quality_rating', 'health_status', 'verified_name', 'name_status', field],
  ]);
});

test('a number is read, and a word of later is unknown', () => {
  const answer = {
    ...{ id: '1', status: 'FLAGGED', quality_rating: 'RED', verified_name: 'Loja', name_status: 'PENDING_REVIEW' },
    ...{ messaging_limit_tier: 'TIER_1K', health_status: { can_send_message: 'LIMITED', entities: [] } },
  };
  const read = {
    ...{ status: 'flagged', quality: 'red', sending: 'limited', messaging_limit: 'TIER_1K' },
    ...{ name: 'Loja', name_status: 'pending_review' },
  };
  expect(readNumber(answer, v23)).toEqual(read);
  expect(readNumber({ ...answer, status: 'HIBERNATED' }, v24)).toEqual({
    ...{ ...read, status: 'unknown', messaging_limit: null },
  });
});

test('whatever is answered, each member is a word of ours, and what is no object is no number', () => {
  const unknown = {
    ...{ status: 'unknown', quality: 'unknown', sending: 'unknown', messaging_limit: null },
    ...{ name: null, name_status: 'unknown' },
  };
  expect(readNumber({}, v23)).toEqual(unknown);
  fc.assert(
    fc.property(fc.jsonValue(), (odd) => {
      const isObject = typeof odd === 'object' && odd !== null && !Array.isArray(odd);
      expect(readNumber(odd, v23)).toEqual(isObject ? expect.objectContaining({}) : undefined);
      const members = Object.fromEntries(
        numberFields(v23)
          .split(',')
          .map((name) => [name, odd]),
      );
      const read = readNumber(members, v23);
      expect(Object.keys(read ?? {})).toEqual(Object.keys(unknown));
      expect((read?.name ?? '').length + (read?.messaging_limit ?? '').length).toBeLessThanOrEqual(450);
    }),
  );
});
