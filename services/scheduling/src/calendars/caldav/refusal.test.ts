import { retryAfterSeconds } from '@mostrador/kit/clients/http';
import { describe, expect, test } from 'vitest';
import { isUidConflict, refusalOf } from './refusal.ts';

const davError = (precondition: string) =>
  `<?xml version='1.0'?><D:error xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><C:${precondition} /></D:error>`;

describe('an error response', () => {
  test.each([
    [401, 'refused', 'calendar_credentials_refused'],
    [403, 'refused', 'calendar_permission_denied'],
    [404, 'refused', 'calendar_not_found'],
    [405, 'refused', 'calendar_not_found'],
    [409, 'refused', 'calendar_not_found'],
    [410, 'refused', 'calendar_not_found'],
    [501, 'refused', 'calendar_not_found'],
    [429, 'throttled', 'calendar_throttled'],
    [408, 'unavailable', 'calendar_unavailable'],
    [423, 'unavailable', 'calendar_unavailable'],
    [500, 'unavailable', 'calendar_unavailable'],
    [503, 'unavailable', 'calendar_unavailable'],
    [400, 'rejected', 'calendar_event_rejected'],
    [413, 'rejected', 'calendar_event_rejected'],
    [415, 'rejected', 'calendar_event_rejected'],
    [422, 'rejected', 'calendar_event_rejected'],
    [507, 'rejected', 'calendar_event_rejected'],
  ])('with HTTP %i is %s, %s', (status, kind, code) => {
    expect(refusalOf(status, new Headers(), 'body')).toMatchObject({ kind, code });
  });

  test.each([403, 409, 412, 507])('with HTTP %i and a precondition of the event rejects only the event', (status) => {
    const error = refusalOf(status, new Headers(), davError('valid-calendar-data'));
    expect(error).toMatchObject({ kind: 'rejected', detail: expect.stringContaining('valid-calendar-data') });
  });

  test.each([
    [davError('no-uid-conflict'), true],
    [
      '<error xmlns="DAV:"><no-uid-conflict xmlns="urn:ietf:params:xml:ns:caldav"><href>/x</href></no-uid-conflict></error>',
      true,
    ],
    [davError('unique-scheduling-object-resource'), true],
    ['<s:message>Calendar object with uid already exists in this calendar collection.</s:message>', true],
    ['<s:message>Deleted calendar object with uid already exists in this calendar collection.</s:message>', true],
    ['Event UID already in use', true],
    [davError('valid-calendar-data'), false],
    ['<s:message>A calendar object with this URI already exists.</s:message>', false],
    ['<s:message>uid</s:message><s:message>already exists</s:message>', false],
    ['GUID already exists', false],
    ['', false],
  ])('%s names a UID conflict: %s', (body, isConflict) => {
    expect(isUidConflict(body)).toBe(isConflict);
  });

  test('with HTTP 403 because of a full trash bin rejects only the event', () => {
    const body =
      "<s:message>A calendar object with URI x-deleted.ics already exists in calendar 23, therefore this object can't be moved into the trashbin</s:message>";
    expect(refusalOf(403, new Headers(), body)).toMatchObject({ kind: 'rejected', code: 'calendar_event_in_trash' });
  });

  test('is never quoted in the detail', () => {
    expect(refusalOf(400, new Headers(), 'Corte de Maria').message).not.toContain('Maria');
  });

  test('that requires another authentication scheme says so in the detail', () => {
    expect(refusalOf(401, new Headers({ 'www-authenticate': 'Digest realm="x"' }), '').detail).toContain('HTTP Basic');
  });

  test('carries Retry-After', () => {
    expect(refusalOf(429, new Headers({ 'retry-after': '30' }), '').retryAfterSeconds).toBe(30);
    expect(refusalOf(503, new Headers({ 'retry-after': '7' }), '').retryAfterSeconds).toBe(7);
    expect(refusalOf(429, new Headers(), '').retryAfterSeconds).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z');
  test.each([
    ['120', 120],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['99999999999', 86_400],
    ['soon', undefined],
    [null, undefined],
  ])('%s is %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
