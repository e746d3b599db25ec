import { expect, test } from 'vitest';
import { refusalOf as caldavRefusal } from './caldav/refusal.ts';
import { calendarCircuit } from './calendar-circuit.ts';
import { CalendarError, type ConnectionSettings, type ProviderName } from './calendar-provider.ts';
import { refusalOfApi as googleRefusal } from './google/refusal.ts';
import { targetOf } from './providers.ts';

test('a refusal says nothing about the calendar, and throttling is an answer', () => {
  expect(calendarCircuit.outageOf(new CalendarError('refused', 'unauthorized', 'No.'))).toBeUndefined();
  expect(calendarCircuit.outageOf(new CalendarError('throttled', 'throttled', 'Slow down.'))).toBe(false);
});

test.each([
  { status: 503, outage: true },
  { status: 500, outage: true },
  { status: 408, outage: false },
  { status: 423, outage: false },
  { status: 429, outage: false },
])('only a failure of the provider itself counts for its origin: %j', ({ status, outage }) => {
  expect(calendarCircuit.outageOf(caldavRefusal(status, new Headers(), ''))).toBe(outage);
  expect(calendarCircuit.outageOf(googleRefusal(status, new Headers(), {}))).toBe(outage);
});

test('a failure without a call says nothing about the provider', () => {
  const unreadable = new CalendarError('unavailable', 'credentials_unreadable', 'No key.');
  expect(calendarCircuit.outageOf(unreadable)).toBeUndefined();
  expect(calendarCircuit.outageOf(new TypeError('a bug'))).toBeUndefined();
});

test('a calendar has the origin of its server, and a feed has none', () => {
  const originOf = (provider: ProviderName, settings: ConnectionSettings = {}) =>
    targetOf({ id: 'c', provider, settings }).origin;
  expect(originOf('caldav', { url: 'https://dav.example.com:8443/store/' })).toBe('https://dav.example.com:8443');
  expect(originOf('google')).toBe('https://www.googleapis.com');
  expect(originOf('google', { token_url: 'https://tokens.example.com/token' })).toBe('https://tokens.example.com');
  expect(originOf('feed')).toBeNull();
});

test('a store cannot open the circuit of Google for others, by naming it beside a server of its own that fails', () => {
  const originOf = (api_url: string, token_url: string) =>
    targetOf({ id: 'c', provider: 'google', settings: { api_url, token_url } }).origin;
  const [google, own] = ['https://www.googleapis.com', 'https://fails.example.com'];
  expect(originOf(google, `${own}/token`)).toBeNull();
  expect(originOf(own, `${google}/token`)).toBeNull();
  expect(originOf(`${own}/api`, `${own}/token`)).toBe(own);
});
