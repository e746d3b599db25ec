import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../../../test/provider-contract.ts';
import { contentHashOf, timeMarkOf } from '../event-mark.ts';
import { firstIdOf, isForeign, isIdOf, markOf, nextIdAfter, toGoogle } from './event.ts';
import { refusalOfApi, refusalOfToken } from './refusal.ts';

describe('an event’s id', () => {
  test('fits Google’s alphabet and length in every generation, and differs between generations', () => {
    fc.assert(
      fc.property(fc.uuid(), (appointment) => {
        const uid = `${appointment}@mostrador`;
        let id = firstIdOf(uid);
        const ids = new Set<string>();
        for (let generation = 0; generation < 12; generation++) {
          expect(id).toMatch(/^[a-v0-9]{5,1024}$/);
          expect(isIdOf(id, uid)).toBe(true);
          ids.add(id);
          id = nextIdAfter(id);
        }
        expect(ids.size).toBe(12);
      }),
    );
  });

  test('belongs to one appointment only', () => {
    expect(isIdOf(firstIdOf(newEvent().uid), newEvent().uid)).toBe(false);
  });
});

describe('an event', () => {
  test('is written in UTC with its appointment and its version', () => {
    const event = newEvent({ notes: 'Janela', sequence: 3 });
    expect(toGoogle(event)).toEqual({
      summary: 'Corte de cabelo',
      description: 'Janela',
      start: { dateTime: '2027-01-31T12:00:00.000Z', timeZone: 'UTC' },
      end: { dateTime: '2027-01-31T12:45:00.000Z', timeZone: 'UTC' },
      extendedProperties: {
        private: {
          mostrador_appointment: event.uid.replace('@mostrador', ''),
          mostrador_sequence: '3',
          mostrador_epoch: '0',
          mostrador_hash: contentHashOf(event),
          mostrador_time: timeMarkOf(event.startsAt.getTime(), event.durationMinutes),
          mostrador_store: event.storeId,
        },
      },
    });
  });

  test('keeps what people have added, but no notes that were removed from the appointment', () => {
    const event = newEvent();
    const earlier = {
      description: 'Old notes',
      colorId: '4',
      attendees: [{ email: 'ana@example.com' }],
      extendedProperties: { private: { theirs: 'yes', mostrador_sequence: '0' }, shared: { a: 'b' } },
    };
    expect(toGoogle({ ...event, sequence: 1 }, earlier)).toMatchObject({
      description: '',
      colorId: '4',
      attendees: [{ email: 'ana@example.com' }],
      extendedProperties: { private: { theirs: 'yes', mostrador_sequence: '1' }, shared: { a: 'b' } },
    });
  });

  test('ends by the year 9999', () => {
    const startsAt = new Date('9999-12-31T23:30:00.000Z');
    expect(toGoogle(newEvent({ startsAt })).end?.dateTime).toBe('9999-12-31T23:59:59.000Z');
  });

  test('without our marks is ours with an unknown version, and with another mark is foreign', () => {
    const uid = newEvent().uid;
    const found = (own: Record<string, string>) => ({
      event: { extendedProperties: { private: own } },
      etag: '"1"',
      isCancelled: false,
    });
    expect(isForeign(found({}), uid)).toBe(false);
    expect(markOf(found({}))).toEqual({ sequence: null, epoch: null, contentHash: null });
    const written = { mostrador_sequence: '12', mostrador_epoch: '3', mostrador_hash: 'h' };
    expect(markOf(found(written))).toEqual({ sequence: 12, epoch: 3, contentHash: 'h' });
    expect(isForeign(found({ mostrador_appointment: 'another' }), uid)).toBe(true);
  });
});

const apiBody = (reason: string) => ({
  error: { code: 0, message: 'm', errors: [{ domain: 'd', reason, message: 'm' }] },
});

test.each([
  [400, 'invalid', 'rejected', 'calendar_event_rejected'],
  [400, 'timeRangeEmpty', 'rejected', 'calendar_event_rejected'],
  [413, 'uploadTooLarge', 'rejected', 'calendar_event_rejected'],
  [401, 'authError', 'refused', 'calendar_credentials_refused'],
  [403, 'forbidden', 'refused', 'calendar_permission_denied'],
  [403, 'insufficientPermissions', 'refused', 'calendar_permission_denied'],
  [403, 'accessNotConfigured', 'refused', 'calendar_permission_denied'],
  [403, 'forbiddenForNonOrganizer', 'refused', 'calendar_permission_denied'],
  [403, 'rateLimitExceeded', 'throttled', 'calendar_throttled'],
  [403, 'userRateLimitExceeded', 'throttled', 'calendar_throttled'],
  [403, 'quotaExceeded', 'throttled', 'calendar_throttled'],
  [429, 'rateLimitExceeded', 'throttled', 'calendar_throttled'],
  [404, 'notFound', 'refused', 'calendar_not_found'],
  [409, 'conflict', 'unavailable', 'calendar_unavailable'],
  [500, 'backendError', 'unavailable', 'calendar_unavailable'],
  [503, 'backendError', 'unavailable', 'calendar_unavailable'],
  [302, 'moved', 'unavailable', 'calendar_unavailable'],
])('HTTP %i %s of the API is %s, %s', (status, reason, kind, code) => {
  expect(refusalOfApi(status, new Headers(), apiBody(reason))).toMatchObject({ kind, code });
});

test.each([
  [400, 'invalid_grant', 'refused', 'calendar_credentials_refused'],
  [401, 'invalid_grant', 'refused', 'calendar_credentials_refused'],
  [401, 'invalid_client', 'refused', 'calendar_credentials_refused'],
  [400, 'unauthorized_client', 'refused', 'calendar_credentials_refused'],
  [404, 'not_found', 'refused', 'calendar_url_invalid'],
  [403, 'rate_limit_exceeded', 'throttled', 'calendar_throttled'],
  [429, 'anything', 'throttled', 'calendar_throttled'],
  [500, 'internal_failure', 'unavailable', 'calendar_unavailable'],
])('HTTP %i %s of the token endpoint is %s, %s', (status, error, kind, code) => {
  const body = { error, error_description: 'Said by Google.' };
  expect(refusalOfToken(status, new Headers(), body)).toMatchObject({ kind, code });
});

test('`retryAfterSeconds` comes from the Retry-After header', () => {
  const headers = new Headers({ 'retry-after': '42' });
  expect(refusalOfApi(429, headers, '')).toMatchObject({ retryAfterSeconds: 42 });
  expect(refusalOfApi(403, headers, apiBody('rateLimitExceeded'))).toMatchObject({ retryAfterSeconds: 42 });
  expect(refusalOfApi(503, headers, '<html>')).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 42 });
  expect(refusalOfToken(429, headers, '')).toMatchObject({ retryAfterSeconds: 42 });
});

test('the detail quotes at most a code of the response, never its text', () => {
  for (const body of [
    'Maria',
    apiBody('Maria of the shop'),
    { error: 'Maria: no' },
    { error: { errors: 'Maria' } },
    null,
  ]) {
    expect(refusalOfApi(400, new Headers(), body).message).not.toContain('Maria');
    expect(refusalOfToken(400, new Headers(), body).message).not.toContain('Maria');
  }
});
