import { randomUUID } from 'node:crypto';
import { localEgress } from '@mostrador/testing/context';
import { conditionNotMet } from '@mostrador/testing/providers/google-calendar/errors';
import { type GoogleServer, startGoogleCalendar } from '@mostrador/testing/providers/google-calendar/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newEvent, next, providerContract } from '../../../test/provider-contract.ts';
import type { CalendarProvider, OpenProvider } from '../calendar-provider.ts';
import { createProviders } from '../providers.ts';
import { firstIdOf, nextIdAfter } from './event.ts';

let google: GoogleServer;
let openProvider: OpenProvider;
beforeAll(async () => {
  google = await startGoogleCalendar();
});
afterAll(() => google?.stop());
beforeEach(() => {
  google.clear();
  openProvider = createProviders(localEgress());
});

const signal = () => AbortSignal.timeout(60_000);

const open = (settings: object = {}, credentials: object = {}): CalendarProvider =>
  openProvider({
    storeId: randomUUID(),
    provider: 'google',
    settings: { calendar_id: google.calendarId, api_url: google.url, token_url: google.tokenUrl, ...settings },
    credentials: { ...google.secrets(), ...credentials },
  });

const asked = () => google.requests.map(({ method, path }) => (path === '/token' ? 'token' : method));
const idOf = (href: string) => google.store.get(href);
const seen = async (uid: string) => (await google.seen()).filter((event) => event.uid === uid);

describe('a Google calendar', () => {
  providerContract(() => ({
    open,
    seen: google.seen,
    async retitleByHand(href, summary) {
      google.store.patch(href, { summary, sequence: google.store.get(href).sequence + 7 });
    },
    deleteByHand: async (href) => google.store.delete(href),
    revisionOf: async (href) => google.store.get(href).sequence,
    stop: google.stop,
    start: google.start,
  }));

  test('stores an event under the id of its appointment, and the reference holds the UID', async () => {
    const event = newEvent();
    const reference = await open().put(event, null, signal());
    expect(reference).toMatchObject({ eventId: event.uid, href: firstIdOf(event.uid) });
    expect(google.store.all()).toMatchObject([{ id: reference.href, etag: reference.etag }]);
    expect(google.store.journal).toEqual([{ verb: 'insert', id: reference.href }]);
  });

  test('can be named `primary` when it is the calendar of the account', async () => {
    const provider = open({ calendar_id: 'primary' });
    await provider.verify(signal());
    await provider.put(newEvent(), null, signal());
  });

  test('gets one write for a change, after one read', async () => {
    const provider = open();
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await provider.put(next(event), created, signal());
    expect(asked()).toEqual(['token', 'POST', 'GET', 'PUT']);
  });

  test('keeps what people have added to an event', async () => {
    const event = newEvent({ notes: 'Ours' });
    const created = await open().put(event, null, signal());
    google.store.patch(created.href, { colorId: '4', attendees: [{ email: 'ana@example.com' }] });
    await open().put(next(event, { notes: null }), created, signal());
    expect(idOf(created.href)).toMatchObject({
      description: '',
      colorId: '4',
      attendees: [{ email: 'ana@example.com' }],
    });
  });

  test('accepts many changes of the time, although its own sequence rises faster than ours', async () => {
    const provider = open();
    let event = newEvent();
    let known = await provider.put(event, null, signal());
    for (let hour = 1; hour <= 5; hour++) {
      event = next(event, { startsAt: new Date(event.startsAt.getTime() + 3_600_000) });
      known = await provider.put(event, known, signal());
    }
    expect(await seen(event.uid)).toMatchObject([{ start: '2027-01-31T17:00:00Z', sequence: 5 }]);
  });

  test('is read again when the event changes between reading and writing', async () => {
    const provider = open();
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    google.misbehave(conditionNotMet(), ({ method }) => method === 'PUT');
    await provider.put(next(event, { title: 'Ours' }), created, signal());
    expect(asked()).toEqual(['token', 'POST', 'GET', 'PUT', 'GET', 'PUT']);
    expect(await seen(event.uid)).toMatchObject([{ title: 'Ours' }]);
  });

  test('counts as unavailable while the event keeps changing', async () => {
    const provider = open();
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    google.misbehave(conditionNotMet(), ({ method }) => method === 'PUT', Number.POSITIVE_INFINITY);
    await expect(provider.put(next(event), created, signal())).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'calendar_conflict',
    });
    expect(google.requests.length).toBeLessThan(40);
  });

  test('gets a change without a second event after the event lost our marks', async () => {
    const event = newEvent();
    const created = await open().put(event, null, signal());
    const { start, end, sequence } = idOf(created.href);
    google.store.update(created.href, { start, end, sequence, summary: 'Edited by a program' });
    await open().put(next(event, { title: 'Ours' }), created, signal());
    expect(await google.seen()).toMatchObject([{ uid: event.uid, title: 'Ours' }]);
  });

  test('with a foreign event under the id rejects our event and keeps the foreign one', async () => {
    const event = newEvent();
    const own = { private: { mostrador_appointment: 'another' } };
    const time = { start: { dateTime: '2027-01-31T12:00:00Z' }, end: { dateTime: '2027-01-31T13:00:00Z' } };
    google.store.insert({ id: firstIdOf(event.uid), summary: 'Theirs', extendedProperties: own, ...time });
    await expect(open().put(event, null, signal())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'calendar_event_conflict',
    });
    expect(google.store.all()).toMatchObject([{ summary: 'Theirs' }]);
  });
});

describe('an event that a person deleted', () => {
  test('is created again under the next id with the same UID, each time as one event', async () => {
    const provider = open();
    let event = newEvent();
    let known = await provider.put(event, null, signal());
    for (let generation = 1; generation <= 3; generation++) {
      google.store.delete(known.href);
      event = next(event);
      const again = await provider.put(event, known, signal());
      expect(again).toMatchObject({ eventId: event.uid, href: nextIdAfter(known.href) });
      expect(await google.seen()).toHaveLength(1);
      known = again;
    }
  });

  test('is not created twice when the reference to its replacement was lost', async () => {
    const event = newEvent();
    const created = await open().put(event, null, signal());
    google.store.delete(created.href);
    const { isDeleted, ...again } = await open().put(next(event), created, signal());
    expect(isDeleted).toBe(true);
    expect(await open().put(next(event), null, signal())).toEqual(again);
    expect(await open().put(next(next(event)), created, signal())).toMatchObject({ href: again.href });
    expect(await google.seen()).toHaveLength(1);
  });

  test('between read and write leads to 403, and is created again', async () => {
    const event = newEvent();
    const created = await open().put(event, null, signal());
    google.deleteBefore('PUT', created.href);
    expect(await open().put(next(event), created, signal())).toMatchObject({ href: nextIdAfter(created.href) });
    expect(await seen(event.uid)).toHaveLength(1);
  });

  test('can be removed, together with an unrecorded replacement', async () => {
    const event = newEvent();
    const created = await open().put(event, null, signal());
    google.store.delete(created.href);
    await open().put(next(event), created, signal());
    await open().remove(created, signal());
    expect(await google.seen()).toEqual([]);
    await open().remove({ ...created, href: null }, signal());
  });

  test('keeps its id: the stand-in follows the rules that the adapter relies on', () => {
    const time = { start: { dateTime: '2027-01-31T12:00:00Z' }, end: { dateTime: '2027-01-31T13:00:00Z' } };
    const { id, etag } = google.store.insert({ id: 'abcde12345', ...time });
    expect(() => google.store.insert({ id, ...time })).toThrow(expect.objectContaining({ status: 409 }));
    expect(() => google.store.insert({ id: 'wxyz-', ...time })).toThrow(expect.objectContaining({ status: 400 }));
    expect(() => google.store.insert({ id: 'abcd', ...time })).toThrow(expect.objectContaining({ status: 400 }));
    const updated = google.store.update(id, time, etag);
    expect(updated.etag).not.toBe(etag);
    expect(() => google.store.update(id, time, etag)).toThrow(expect.objectContaining({ status: 412 }));
    google.store.delete(id);
    expect(google.store.get(id).status).toBe('cancelled');
    expect(() => google.store.insert({ id, ...time })).toThrow(expect.objectContaining({ status: 409 }));
    expect(() => google.store.update(id, time)).toThrow(expect.objectContaining({ status: 403 }));
    expect(() => google.store.delete(id)).toThrow(expect.objectContaining({ status: 410 }));
    expect(() => google.store.delete('unknown')).toThrow(expect.objectContaining({ status: 404 }));
  });
});

describe('the calendar is refused', () => {
  test('when the account can only read it', async () => {
    for (const role of ['reader', 'freeBusyReader']) {
      google.account.role = role;
      await expect(open().verify(signal())).rejects.toMatchObject({ kind: 'refused', code: 'calendar_read_only' });
    }
    await expect(open().put(newEvent(), null, signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_permission_denied',
    });
    google.account.role = 'writer';
    await open().verify(signal());
  });

  test('when the granted scopes do not allow writing', async () => {
    google.account.scope = 'https://www.googleapis.com/auth/calendar.events.readonly';
    await expect(open().verify(signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_permission_denied',
      detail: expect.stringContaining('without permission'),
    });
    await expect(open().put(newEvent(), null, signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_permission_denied',
      detail: expect.stringContaining('insufficientPermissions'),
    });
  });

  test('when it does not exist', async () => {
    const nowhere = open({ calendar_id: 'nobody@example.com' });
    const refusal = { kind: 'refused', code: 'calendar_not_found' };
    await expect(nowhere.verify(signal())).rejects.toMatchObject(refusal);
    await expect(nowhere.put(newEvent(), null, signal())).rejects.toMatchObject(refusal);
  });

  test('when the refresh token is revoked or of another client, or the client is wrong', async () => {
    const refused = { kind: 'refused', code: 'calendar_credentials_refused' };
    for (const wrong of [{ refresh_token: 'x' }, { client_secret: 'x' }, { client_id: 'x' }]) {
      await expect(open({}, wrong).verify(signal())).rejects.toMatchObject(refused);
    }
    const provider = open();
    await provider.verify(signal());
    google.revoke();
    await expect(provider.put(newEvent(), null, signal())).rejects.toMatchObject(refused);
    await open().verify(signal());
  });

  test('when a setting is missing', async () => {
    await expect(open({ calendar_id: undefined }).verify(signal())).rejects.toMatchObject({ kind: 'refused' });
  });
});
