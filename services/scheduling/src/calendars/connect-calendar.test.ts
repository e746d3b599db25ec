import { expect, test } from 'vitest';
import { connectionOf } from './connect-calendar.ts';

const faultsOf = (body: Parameters<typeof connectionOf>[0]) => {
  try {
    connectionOf(body);
    return [];
  } catch (error) {
    return (error as { members: { errors: unknown[] } }).members.errors;
  }
};

test('a feed takes nothing, and every thing given is named', () => {
  expect(connectionOf({ provider: 'feed' })).toEqual({ provider: 'feed', settings: {}, credentials: {} });
  expect(faultsOf({ provider: 'feed', url: 'https://x', username: 'u', secrets: { password: 'p' } })).toEqual([
    { pointer: '#/url', detail: 'is not used by a feed' },
    { pointer: '#/username', detail: 'is not used by a feed' },
    { pointer: '#/secrets/password', detail: 'is not used by a feed' },
  ]);
});

test('CalDAV needs an address; name and password come together or not at all', () => {
  const url = 'https://dav.example.com/calendar/';
  expect(connectionOf({ provider: 'caldav', url })).toEqual({ provider: 'caldav', settings: { url }, credentials: {} });
  expect(connectionOf({ provider: 'caldav', url, username: 'u', secrets: { password: 'p' } })).toEqual({
    provider: 'caldav',
    settings: { url, username: 'u' },
    credentials: { password: 'p' },
  });
  expect(faultsOf({ provider: 'caldav', username: 'u' })).toEqual([
    { pointer: '#/url', detail: 'is required for caldav' },
    { pointer: '#/secrets/password', detail: 'is required with a username' },
  ]);
  expect(faultsOf({ provider: 'caldav', url, secrets: { password: 'p' } })).toEqual([
    { pointer: '#/username', detail: 'is required with a password' },
  ]);
});
