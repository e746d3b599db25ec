import { randomUUID } from 'node:crypto';
import type { SeenEvent } from '@mostrador/testing/providers/caldav/read-events';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { CalendarEvent, CalendarProvider } from '../src/calendars/calendar-provider.ts';

/** A calendar server and what people can do in it without the adapter. */
export type ContractServer = {
  open(): CalendarProvider;
  /** Every event in the calendar. */
  seen(): Promise<SeenEvent[]>;
  /** Changes the title in a way that raises the calendar's own sequence number. */
  retitleByHand(href: string, title: string): Promise<void>;
  deleteByHand(href: string): Promise<void>;
  /** The calendar's own sequence number of the event (SEQUENCE). */
  revisionOf(href: string): Promise<number>;
  stop(): Promise<void>;
  start(): Promise<void>;
};

const signal = () => AbortSignal.timeout(60_000);

export const newEvent = (changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  uid: `${randomUUID()}@mostrador`,
  storeId: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  epoch: 0,
  sequence: 0,
  title: 'Corte de cabelo',
  notes: null,
  startsAt: new Date('2027-01-31T12:00:00.000Z'),
  durationMinutes: 45,
  createdAt: new Date('2026-11-21T10:00:00.000Z'),
  updatedAt: new Date('2026-11-21T10:00:00.000Z'),
  timeChangedAt: new Date('2026-11-21T10:00:00.000Z'),
  ...changes,
});

export const next = (event: CalendarEvent, changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  ...event,
  sequence: event.sequence + 1,
  updatedAt: new Date(event.updatedAt.getTime() + 60_000),
  timeChangedAt: new Date(event.updatedAt.getTime() + 60_000),
  ...changes,
});

/** The tests that every calendar adapter that sends events must pass. */
export function providerContract(serverOf: () => ContractServer): void {
  let server: ContractServer;
  let provider: CalendarProvider;
  beforeEach(() => {
    server = serverOf();
    provider = server.open();
  });

  const seen = async (event: CalendarEvent) => (await server.seen()).filter(({ uid }) => uid === event.uid);

  test('passes the check', async () => {
    await provider.verify(signal());
  });

  test('shows a new event with its UTC start and duration to another client', async () => {
    const event = newEvent({ title: 'Consulta, retorno; 2ª', notes: 'Trazer:\n- guia\n- RG' });
    const reference = await provider.put(event, null, signal());
    expect(reference).toEqual({
      eventId: event.uid,
      href: expect.any(String),
      etag: expect.stringMatching(/^".+"$/),
    });
    expect(await seen(event)).toEqual([
      {
        uid: event.uid,
        start: '2027-01-31T12:00:00Z',
        duration_minutes: 45,
        title: 'Consulta, retorno; 2ª',
        notes: 'Trazer:\n- guia\n- RG',
        sequence: 0,
      },
    ]);
  });

  test('keeps any text of events', async () => {
    const character = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constantFrom('\n', '\\', ';', ',', '👩‍⚕️'),
    );
    const text = fc
      .array(character, { minLength: 1, maxLength: 40 })
      .map((parts) => parts.join('').toWellFormed().trim())
      .filter((value) => value !== '' && !/[\p{Cc}\u2028\u2029]/u.test(value.replaceAll('\n', '')))
      // The CalDAV client of this test drops backslashes before a quotation mark.
      .filter((value) => !/\\["']/.test(value));
    const written = fc.sample(fc.record({ title: text, notes: text }), 25).map((texts) => newEvent(texts));
    for (const event of written) await provider.put(event, null, signal());
    const read = new Map((await server.seen()).map((event) => [event.uid, event]));
    for (const { uid, title, notes } of written) expect(read.get(uid)).toMatchObject({ title, notes });
  });

  test('has one event after two attempts to create it', async () => {
    const event = newEvent();
    const first = await provider.put(event, null, signal());
    expect(await provider.put(event, null, signal())).toEqual(first);
    expect(await seen(event)).toHaveLength(1);
  });

  test('has one event after ten concurrent attempts to create it', async () => {
    const event = newEvent();
    const references = await Promise.all(Array.from({ length: 10 }, () => provider.put(event, null, signal())));
    expect(new Set(references.map(({ etag }) => etag)).size).toBe(1);
    expect(await seen(event)).toHaveLength(1);
  });

  test('moves the event when the appointment moves', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const moved = next(event, { startsAt: new Date('2027-02-01T15:30:00.000Z'), durationMinutes: 30 });
    const changed = await provider.put(moved, created, signal());
    expect(changed).toEqual({ ...created, etag: expect.stringMatching(/^".+"$/) });
    expect(changed.etag).not.toBe(created.etag);
    expect(await seen(event)).toMatchObject([{ start: '2027-02-01T15:30:00Z', duration_minutes: 30, sequence: 1 }]);
  });

  test('accepts a change after a creation that was not recorded', async () => {
    const event = newEvent();
    await provider.put(event, null, signal());
    await provider.put(next(event, { title: 'Outro' }), null, signal());
    expect(await seen(event)).toMatchObject([{ title: 'Outro', sequence: 1 }]);
  });

  test('has a change once after two attempts, as after a lost response', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const moved = next(event, { title: 'Outro' });
    const changed = await provider.put(moved, created, signal());
    expect(await provider.put(moved, created, signal())).toEqual(changed);
    expect(await seen(event)).toMatchObject([{ title: 'Outro' }]);
  });

  test('is not overwritten by a late attempt with an older version', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const newest = next(next(event), { title: 'Newest' });
    const reference = await provider.put(newest, created, signal());
    expect(await provider.put(next(event, { title: 'Late' }), created, signal())).toEqual(reference);
    expect(await provider.put(event, null, signal())).toEqual(reference);
    expect(await seen(event)).toMatchObject([{ title: 'Newest' }]);
  });

  test('gets other content of a version that it has, as after a restore, with a higher SEQUENCE', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const lost = await provider.put(next(event, { durationMinutes: 30 }), created, signal());
    const revision = await server.revisionOf(lost.href);
    await provider.put(next(event, { durationMinutes: 60 }), created, signal());
    expect(await seen(event)).toMatchObject([{ duration_minutes: 60 }]);
    expect(await server.revisionOf(lost.href)).toBeGreaterThan(revision);
  });

  test('gets an older version of a later epoch, as after a restore, unless it has that content', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const lost = await provider.put(next(next(event), { durationMinutes: 30 }), created, signal());
    const revision = await server.revisionOf(lost.href);
    const restored = next(event, { durationMinutes: 60, epoch: 1 });
    const written = await provider.put(restored, { ...created, etag: null }, signal());
    expect(await seen(event)).toMatchObject([{ duration_minutes: 60 }]);
    expect(await server.revisionOf(lost.href)).toBeGreaterThan(revision);
    for (const again of [{ ...restored, epoch: 2 }, next(restored, { title: 'Late', epoch: 0 })]) {
      expect(await provider.put(again, { ...created, etag: null }, signal())).toEqual(written);
    }
  });

  test("gets our change over a person's edit, even when that edit raised SEQUENCE", async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await server.retitleByHand(created.href, 'Edited');
    await provider.put(next(event, { title: 'Ours' }), created, signal());
    expect(await seen(event)).toMatchObject([{ title: 'Ours' }]);
  });

  test('gets a deleted event again when the appointment changes', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await server.deleteByHand(created.href);
    const again = await provider.put(next(event), created, signal());
    expect(again).toMatchObject({ isDeleted: true });
    expect(await seen(event)).toHaveLength(1);
    expect(await provider.put(next(next(event)), again, signal())).not.toHaveProperty('isDeleted');
  });

  test('leaves a deleted event deleted when its time is the same, and tells it', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await server.deleteByHand(created.href);
    const kept = { ...next(event, { title: 'Outro' }), staysDeleted: true };
    expect(await provider.put(kept, created, signal())).toMatchObject({ isDeleted: true, href: created.href });
    expect(await seen(event)).toEqual([]);
  });

  test('accepts a change without a known ETag', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await provider.put(next(event, { title: 'Outro' }), { ...created, etag: null }, signal());
    expect(await seen(event)).toMatchObject([{ title: 'Outro' }]);
  });

  test('removes an event, and a second removal succeeds', async () => {
    const event = newEvent();
    const reference = await provider.put(event, null, signal());
    await provider.remove(reference, signal());
    expect(await seen(event)).toEqual([]);
    await provider.remove(reference, signal());
  });

  test('removes an event whose creation was not recorded', async () => {
    const event = newEvent();
    await provider.put(event, null, signal());
    await provider.remove({ eventId: event.uid, href: null, etag: null }, signal());
    expect(await seen(event)).toEqual([]);
    await provider.remove({ eventId: newEvent().uid, href: null, etag: null }, signal());
  });

  test("lists the store's own events after a moment", async () => {
    const storeId = randomUUID();
    const startsAt = new Date('2027-03-01T12:00:00.000Z');
    const [early, late, foreign] = [newEvent({ storeId }), newEvent({ storeId, startsAt }), newEvent({ startsAt })];
    for (const event of [early, late, foreign]) await provider.put(event, null, signal());
    expect(await provider.list(storeId, new Date('2027-02-01T00:00:00.000Z'), signal())).toEqual([
      { uid: late.uid, title: late.title, startsAt },
    ]);
    expect(await provider.list(randomUUID(), new Date('2027-02-01T00:00:00.000Z'), signal())).toEqual([]);
  });

  test('counts as unavailable while it is down, and works again afterwards', async () => {
    const event = newEvent();
    await server.stop();
    for (const attempt of [() => provider.verify(signal()), () => provider.put(event, null, signal())]) {
      await expect(attempt()).rejects.toMatchObject({ kind: 'unavailable', code: 'calendar_unreachable' });
    }
    await server.start();
    await provider.put(event, null, signal());
    expect(await seen(event)).toHaveLength(1);
  });
}
