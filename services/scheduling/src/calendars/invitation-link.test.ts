import { randomBytes, randomUUID } from 'node:crypto';
import { createVault } from '@mostrador/kit/clients/secrets';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { invitationUrl, isInvitationReadable, readInvitationToken } from './invitation-link.ts';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [k1, k2] = [newKey('k1'), newKey('k2')];
const vault = createVault(k1);
const tokenOf = (url: string) => /^https:\/\/api\.example\.com\/calendars\/([^/]+)\.ics$/.exec(url)?.[1] ?? '';
const url = (invited: { storeId: string; appointmentId: string }) =>
  invitationUrl(vault, 'https://api.example.com', invited);
const newInvited = () => ({ storeId: randomUUID(), appointmentId: randomUUID() });

test('a link names its store and its appointment, and is the same each time', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (storeId, appointmentId) => {
      expect(readInvitationToken(vault, tokenOf(url({ storeId, appointmentId })))).toEqual({ storeId, appointmentId });
      expect(url({ storeId, appointmentId })).toBe(url({ storeId, appointmentId }));
    }),
  );
});

test('a link of which any bit was changed, or that was put together from others, names nothing', () => {
  const bytes = Buffer.from(tokenOf(url(newInvited())), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(readInvitationToken(vault, changed.toString('base64url'))).toBeUndefined();
  }
  const other = Buffer.from(tokenOf(url(newInvited())), 'base64url');
  const mixed = Buffer.concat([other.subarray(0, 16), bytes.subarray(16)]);
  expect(readInvitationToken(vault, mixed.toString('base64url'))).toBeUndefined();
});

test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(64), `${'A'.repeat(63)}=`, 'Á'.repeat(64)])('%j is no link', (token) => {
  expect(readInvitationToken(vault, token)).toBeUndefined();
});

test('a link outlives a change of the encryption key for as long as the old key is kept', () => {
  const invited = newInvited();
  const token = tokenOf(url(invited));
  expect(readInvitationToken(createVault(`${k2},${k1}`), token)).toEqual(invited);
  expect(readInvitationToken(createVault(k2), token)).toBeUndefined();
});

test.each([
  ['2027-01-15T10:00:00.000Z', true],
  ['2027-02-14T09:29:59.999Z', true],
  ['2027-02-14T09:30:00.000Z', false],
])('the link of an appointment that ended on 15 January at 9:30 leads to it at %s: %s', (now, readable) => {
  const appointment = { scheduled_at: new Date('2027-01-15T09:00:00.000Z'), duration_minutes: 30 };
  expect(isInvitationReadable(appointment, new Date(now))).toBe(readable);
});
