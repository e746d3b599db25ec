import { randomUUID } from 'node:crypto';
import type { SeenEvent } from '@mostrador/testing/providers/caldav/servers';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { CalendarEvent, CalendarProvider } from '../src/calendars/calendar-provider.ts';

/** A calendar and what its people can do, without the adapter. */
export type ContractServer = {
  open(): CalendarProvider;
  /** Every event that is in the calendar. */
  seen(): Promise<SeenEvent[]>;
  /** Changes the title in a way that raises the calendar's own sequence number. */
  retitleByHand(href: string, title: string): Promise<void>;
  deleteByHand(href: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
};

const signal = () => AbortSignal.timeout(10_000);

export const newEvent = (changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  uid: `${randomUUID()}@mostrador`,
  sequence: 0,
  title: 'Corte de cabelo',
  notes: null,
  startsAt: new Date('2027-01-31T12:00:00.000Z'),
  durationMinutes: 45,
  createdAt: new Date('2026-11-21T10:00:00.000Z'),
  updatedAt: new Date('2026-11-21T10:00:00.000Z'),
  ...changes,
});

export const next = (event: CalendarEvent, changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  ...event,
  sequence: event.sequence + 1,
  updatedAt: new Date(event.updatedAt.getTime() + 60_000),
  ...changes,
});

/** What every calendar that events are sent to has to do, whoever made it. */
export function providerContract(serverOf: () => ContractServer): void {
  let server: ContractServer;
  let provider: CalendarProvider;
  beforeEach(() => {
    server = serverOf();
    provider = server.open();
  });

  const seen = async (event: CalendarEvent) => (await server.seen()).filter(({ uid }) => uid === event.uid);

  test('is found to be usable', async () => {
    await provider.verify(signal());
  });

  test('shows a new event with its UTC start and duration to a client that is not ours', async () => {
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

  test('keeps the text of events, whatever it is', async () => {
    const character = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constantFrom('\n', '\\', ';', ',', '👩‍⚕️'),
    );
    const text = fc
      .array(character, { minLength: 1, maxLength: 40 })
      .map((parts) => parts.join('').toWellFormed().trim())
      .filter((value) => value !== '' && !/[\p{Cc}\u2028\u2029]/u.test(value.replaceAll('\n', '')))
      // The client that reads CalDAV here takes backslashes away that stand before a quotation mark.
      .filter((value) => !/\\["']/.test(value));
    const written = fc.sample(fc.record({ title: text, notes: text }), 25).map((texts) => newEvent(texts));
    for (const event of written) await provider.put(event, null, signal());
    const read = new Map((await server.seen()).map((event) => [event.uid, event]));
    for (const { uid, title, notes } of written) expect(read.get(uid)).toMatchObject({ title, notes });
  });

  test('has one event after the same one was created twice', async () => {
    const event = newEvent();
    const first = await provider.put(event, null, signal());
    expect(await provider.put(event, null, signal())).toEqual(first);
    expect(await seen(event)).toHaveLength(1);
  });

  test('has one event after ten attempts at once', async () => {
    const event = newEvent();
    const references = await Promise.all(Array.from({ length: 10 }, () => provider.put(event, null, signal())));
    expect(new Set(references.map(({ etag }) => etag)).size).toBe(1);
    expect(await seen(event)).toHaveLength(1);
  });

  test('moves the event with a change', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const moved = next(event, { startsAt: new Date('2027-02-01T15:30:00.000Z'), durationMinutes: 30 });
    const changed = await provider.put(moved, created, signal());
    expect(changed).toEqual({ ...created, etag: expect.stringMatching(/^".+"$/) });
    expect(changed.etag).not.toBe(created.etag);
    expect(await seen(event)).toMatchObject([{ start: '2027-02-01T15:30:00Z', duration_minutes: 30, sequence: 1 }]);
  });

  test('takes a change whose creation was answered but not recorded', async () => {
    const event = newEvent();
    await provider.put(event, null, signal());
    await provider.put(next(event, { title: 'Outro' }), null, signal());
    expect(await seen(event)).toMatchObject([{ title: 'Outro', sequence: 1 }]);
  });

  test('takes a change twice, as after a lost answer, and has it once', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const moved = next(event, { title: 'Outro' });
    const changed = await provider.put(moved, created, signal());
    expect(await provider.put(moved, created, signal())).toEqual(changed);
    expect(await seen(event)).toMatchObject([{ title: 'Outro' }]);
  });

  test('is not set back by an attempt that comes late', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const newest = next(next(event), { title: 'Newest' });
    const reference = await provider.put(newest, created, signal());
    expect(await provider.put(next(event, { title: 'Late' }), created, signal())).toEqual(reference);
    expect(await provider.put(event, null, signal())).toEqual(reference);
    expect(await seen(event)).toMatchObject([{ title: 'Newest' }]);
  });

  test("has our change over a person's edit, also when that raised SEQUENCE", async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await server.retitleByHand(created.href, 'Edited');
    await provider.put(next(event, { title: 'Ours' }), created, signal());
    expect(await seen(event)).toMatchObject([{ title: 'Ours' }]);
  });

  test('has an event again after a person deleted it and it changed', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await server.deleteByHand(created.href);
    await provider.put(next(event), created, signal());
    expect(await seen(event)).toHaveLength(1);
  });

  test('takes a change when its tag is not known', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    await provider.put(next(event, { title: 'Outro' }), { ...created, etag: null }, signal());
    expect(await seen(event)).toMatchObject([{ title: 'Outro' }]);
  });

  test('loses an event when it is removed, and removing again is a success', async () => {
    const event = newEvent();
    const reference = await provider.put(event, null, signal());
    await provider.remove(reference, signal());
    expect(await seen(event)).toEqual([]);
    await provider.remove(reference, signal());
  });

  test('loses an event whose creation was never recorded', async () => {
    const event = newEvent();
    await provider.put(event, null, signal());
    await provider.remove({ eventId: event.uid, href: null, etag: null }, signal());
    expect(await seen(event)).toEqual([]);
    await provider.remove({ eventId: newEvent().uid, href: null, etag: null }, signal());
  });

  test('that is down is unavailable, and serves again once it is up', async () => {
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
