import { createEgress } from '@mostrador/kit/clients/egress';
import { expect, test } from 'vitest';
import { connectionOf as connectionWith } from './requested-connection.ts';

const connectionOf = (body: Parameters<typeof connectionWith>[0]) =>
  connectionWith(body, createEgress({ plaintextHosts: 'radicale' }));

const faultsOf = (body: Parameters<typeof connectionOf>[0]) => {
  try {
    connectionOf(body);
    return [];
  } catch (error) {
    return (error as { members: { errors: unknown[] } }).members.errors;
  }
};

test('a feed has no settings, and every given one is a fault', () => {
  expect(connectionOf({ provider: 'feed' })).toEqual({ provider: 'feed', settings: {}, credentials: {} });
  expect(faultsOf({ provider: 'feed', url: 'https://x', username: 'u', secrets: { password: 'p' } })).toEqual([
    { pointer: '#/url', detail: 'is not used by feed' },
    { pointer: '#/username', detail: 'is not used by feed' },
    { pointer: '#/secrets/password', detail: 'is not used by feed' },
  ]);
});

test('CalDAV requires an address, and a user name and a password require each other', () => {
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

test.each([
  ['https://dav.example.com/', true],
  ['http://127.0.0.1:5232/ana/', true],
  ['http://radicale:5232/ana/', true],
  ['http://dav.example.com/', false],
  ['http://10.0.0.7/', false],
])(
  'a CalDAV password is sent only over https, to this machine or to a host that the operator lists: %s',
  (url, isTaken) => {
    const faults = isTaken ? [] : [{ pointer: '#/url', detail: expect.stringContaining('Use an https address.') }];
    expect(faultsOf({ provider: 'caldav', url, username: 'u', secrets: { password: 'p' } })).toEqual(faults);
  },
);

const google = {
  provider: 'google' as const,
  calendar_id: 'agenda@group.calendar.google.com',
  secrets: { client_id: 'i', client_secret: 's', refresh_token: 'r' },
};

test('Google requires a calendar id and three secrets, and settings of other providers are faults', () => {
  expect(connectionOf(google)).toEqual({
    provider: 'google',
    settings: { calendar_id: google.calendar_id },
    credentials: google.secrets,
  });
  expect(faultsOf({ provider: 'google', username: 'u', secrets: { client_id: 'i', password: 'p' } })).toEqual([
    { pointer: '#/calendar_id', detail: 'is required for google' },
    { pointer: '#/secrets/client_secret', detail: 'is required for google' },
    { pointer: '#/secrets/refresh_token', detail: 'is required for google' },
    { pointer: '#/username', detail: 'is not used by google' },
    { pointer: '#/secrets/password', detail: 'is not used by google' },
  ]);
});

test.each([
  ['https://calendar.example.com/', true],
  ['http://127.0.0.1:8080/', true],
  ['http://localhost:8080/token', true],
  ['http://calendar.example.com/', false],
  ['https://user:hidden@calendar.example.com/', false],
  ['https://calendar.example.com/?key=1', false],
  ['calendar.example.com', false],
  ['file:///etc/passwd', false],
])('Google’s secrets are sent only over https or to this machine: %s is accepted: %s', (address, isTaken) => {
  for (const name of ['api_url', 'token_url'] as const) {
    const faults = isTaken ? [] : [{ pointer: `#/${name}`, detail: expect.stringContaining('https') }];
    expect(faultsOf({ ...google, [name]: address })).toEqual(faults);
  }
});
