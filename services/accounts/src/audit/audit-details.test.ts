import { expect, test } from 'vitest';
import { changedMembers, toAuditDetails } from './audit-details.ts';

test('an entry shows what was asked, and ids are counted', () => {
  expect(toAuditDetails(null)).toBeNull();
  expect(toAuditDetails({ changed: ['role'], role: 'manager' })).toEqual({ changed: ['role'], role: 'manager' });
  expect(toAuditDetails({ kind: 'message', ids: ['a', 'b'], unknown_as: 'failed' })).toEqual({
    kind: 'message',
    count: 2,
    unknown_as: 'failed',
  });
  const filter = { reason: 'postponed', older_than: '2026-11-23T12:00:00.000Z' } as const;
  expect(toAuditDetails({ kind: 'followup', filter })).toEqual({ kind: 'followup', ...filter });
  expect(toAuditDetails({ kind: 'followup', filter: {} })).toEqual({ kind: 'followup' });
});

test('an entry names the changed members, and never their values', () => {
  expect(changedMembers({ name: 'Ana', seller_id: null, role: undefined })).toEqual({ changed: ['name', 'seller_id'] });
});
