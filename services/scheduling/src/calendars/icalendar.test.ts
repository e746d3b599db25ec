import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import type { CalendarEvent } from './calendar-provider.ts';
import { contentHashOf } from './event-mark.ts';
import { readIdentity, renderEvent, renderFeed, renderInvitation } from './icalendar.ts';

const event = (changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  uid: '0190c3f2-7b1e-7c3a-8f4d-2a9b6c1d5e7f@mostrador',
  storeId: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  sequence: 2,
  epoch: 7,
  title: 'Corte de cabelo',
  notes: 'Trazer a guia',
  startsAt: new Date('2027-01-31T09:00:00.000Z'),
  durationMinutes: 45,
  createdAt: new Date('2026-11-21T10:00:00.000Z'),
  updatedAt: new Date('2026-11-22T11:30:00.000Z'),
  timeChangedAt: new Date('2026-11-22T11:30:00.000Z'),
  ...changes,
});

const readBack = (icalendar: string) => {
  const calendar = new ICAL.Component(ICAL.parse(icalendar));
  return calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
};

/** The lines of a document by the rules of RFC 5545, without our library: the value of each property of its first event. */
const valuesIn = (icalendar: string): ReadonlyMap<string, string> => {
  const [, event = ''] = /BEGIN:VEVENT\r\n(.*?)END:VEVENT\r\n/s.exec(icalendar.replaceAll('\r\n ', '')) ?? [];
  const unescaped = (value: string) =>
    value.replaceAll(/\\(.)/gu, (_, escaped) => (escaped.toLowerCase() === 'n' ? '\n' : escaped));
  return new Map(
    event.split('\r\n').map((line) => {
      const [, name = '', value = ''] = /^([A-Z-]+):(.*)$/s.exec(line) ?? [];
      return [name, unescaped(value)];
    }),
  );
};

/** Any Unicode text. Characters that iCalendar must escape and line breaks are more frequent than others. */
const text = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.constantFrom('\n', ',', ';', '\\', '\\n', '"', ':', '💇🏽‍♀️'),
      ),
      {
        minLength: 1,
        maxLength: 60,
      },
    )
    .map((parts) => parts.join('').slice(0, maxLength).toWellFormed().trim())
    .filter((value) => value !== '' && !/[\p{Cc}\u2028\u2029]/u.test(value.replaceAll('\n', '')));

const events = fc.record({
  uid: fc.uuid().map((id) => `${id}@mostrador`),
  storeId: fc.uuid(),
  sequence: fc.nat(1_000_000),
  epoch: fc.nat(2 ** 41),
  title: text(200),
  notes: fc.option(text(5000)),
  startsAt: fc.date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('9998-12-31T00:00:00Z'),
    noInvalidDate: true,
  }),
  durationMinutes: fc.integer({ min: 1, max: 1440 }),
  createdAt: fc.date({
    min: new Date('2026-01-01T00:00:00Z'),
    max: new Date('2099-01-01T00:00:00Z'),
    noInvalidDate: true,
  }),
  updatedAt: fc.date({
    min: new Date('2026-01-01T00:00:00Z'),
    max: new Date('2099-01-01T00:00:00Z'),
    noInvalidDate: true,
  }),
  timeChangedAt: fc.constant(new Date(0)),
});

const wholeSeconds = (instant: Date) => Math.floor(instant.getTime() / 1000) * 1000;

describe('an event', () => {
  test('is written with UID, sequence, timestamp and UTC times, with an exclusive end', () => {
    const lines = renderEvent(event()).split('\r\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'PRODID:-//Mostrador//Mostrador//EN',
        'UID:0190c3f2-7b1e-7c3a-8f4d-2a9b6c1d5e7f@mostrador',
        'SEQUENCE:2',
        'DTSTAMP:20261122T113000Z',
        'DTSTART:20270131T090000Z',
        'DTEND:20270131T094500Z',
        'SUMMARY:Corte de cabelo',
        'DESCRIPTION:Trazer a guia',
      ]),
    );
  });

  test('reads the same in another parser, with any text', () => {
    fc.assert(
      fc.property(events, (written) => {
        const values = valuesIn(renderEvent(written));
        expect(values.get('SUMMARY')).toBe(written.title);
        expect(values.get('DESCRIPTION') ?? null).toBe(written.notes);
        const [read] = readBack(renderEvent(written));
        expect(read?.uid).toBe(written.uid);
        expect(read?.sequence).toBe(written.sequence);
        expect(read?.summary).toBe(written.title);
        expect(read?.description ?? null).toBe(written.notes);
        expect(read?.startDate.toJSDate().getTime()).toBe(wholeSeconds(written.startsAt));
        expect(read?.duration.toSeconds()).toBe(written.durationMinutes * 60);
        const { uid, sequence, epoch, storeId } = written;
        const mark = { sequence, epoch, contentHash: contentHashOf(written) };
        expect(readIdentity(renderEvent(written))).toEqual({ uid, revision: sequence, mark, storeId });
      }),
    );
  });

  test('ends every line with CRLF and has no line over 75 octets', () => {
    fc.assert(
      fc.property(events, (written) => {
        const icalendar = renderEvent(written);
        expect(icalendar.endsWith('END:VCALENDAR\r\n')).toBe(true);
        expect(icalendar.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        for (const line of icalendar.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      }),
    );
  });

  test('is written without control characters, and line separators become line breaks', () => {
    const [read] = readBack(
      renderEvent(event({ title: 'a\u0001b\u007fc', notes: 'one\r\ntwo\rthree\u2028four\u0085five\tsix' })),
    );
    expect(read?.summary).toBe('abc');
    expect(read?.description).toBe('one\ntwo\nthree\nfour\nfive\tsix');
  });

  test('cannot inject lines', () => {
    const icalendar = renderEvent(
      event({ title: 'x\r\nATTENDEE:mailto:a@example.com', notes: 'END:VEVENT\nBEGIN:VALARM' }),
    );
    expect(icalendar).not.toMatch(/^(ATTENDEE|BEGIN:VALARM)/m);
  });

  test('ends by the year 9999, the last of iCalendar', () => {
    const icalendar = renderEvent(event({ startsAt: new Date('9999-12-31T23:30:00Z'), durationMinutes: 60 }));
    expect(icalendar).toContain('DTEND:99991231T235959Z');
  });
});

describe('a feed', () => {
  test('escapes its name and asks for a refresh every 15 minutes', () => {
    const icalendar = renderFeed([event()], { name: 'Salão, Rua A; nº 1\nX-EVIL:1' });
    expect(icalendar).toContain('X-WR-CALNAME:Salão\\, Rua A\\; nº 1 X-EVIL:1\r\n');
    expect(icalendar).toContain('NAME:Salão\\, Rua A\\; nº 1 X-EVIL:1\r\n');
    expect(icalendar).toContain('REFRESH-INTERVAL;VALUE=DURATION:PT15M\r\n');
    expect(icalendar).toContain('X-PUBLISHED-TTL:PT15M\r\n');
  });

  test('has the same bytes for the same events in any order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(events, { selector: (one) => one.uid, maxLength: 8 }), (list) => {
        const bytes = renderFeed(list, { name: 'Store' });
        expect(renderFeed(list.toReversed(), { name: 'Store' })).toBe(bytes);
        expect(
          readBack(bytes)
            .map((read) => read.uid)
            .toSorted(),
        ).toEqual(list.map((one) => one.uid).toSorted());
      }),
      { numRuns: 30 },
    );
  });

  test('without events is a valid calendar', () => {
    expect(readBack(renderFeed([], { name: 'Store' }))).toEqual([]);
  });
});

describe('the identity of an event in a calendar', () => {
  test('is null when the document cannot be read', () => {
    expect(readIdentity('')).toBeNull();
    expect(readIdentity('<html></html>')).toBeNull();
    expect(readIdentity('BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:x\r\nEND:VTODO\r\nEND:VCALENDAR\r\n')).toBeNull();
  });

  test('keeps our version after a calendar program has raised SEQUENCE', () => {
    const edited = renderEvent(event()).replace('\r\nSEQUENCE:2', '\r\nSEQUENCE:9');
    expect(readIdentity(edited)).toMatchObject({ revision: 9, mark: { sequence: 2 } });
  });

  test('has no mark when our properties are gone', () => {
    const edited = renderEvent(event()).replaceAll(/X-MOSTRADOR-.*\r\n( .*\r\n)*/g, '');
    const mark = { sequence: null, epoch: null, contentHash: null };
    expect(readIdentity(edited)).toEqual({ uid: event().uid, revision: 2, mark, storeId: null });
  });
});

test('an invitation has the event and its state, and nothing that is only for the store', () => {
  const scheduled = renderInvitation(event(), 'PUBLISH');
  expect(scheduled).toMatch(/^BEGIN:VCALENDAR\r\n(?:.*\r\n)*?METHOD:PUBLISH\r\n/);
  const values = valuesIn(scheduled);
  expect(Object.fromEntries(values)).toMatchObject({
    ...{ UID: event().uid, SEQUENCE: '2', SUMMARY: 'Corte de cabelo', STATUS: 'CONFIRMED' },
    ...{ DTSTART: '20270131T090000Z', DTEND: '20270131T094500Z', ORGANIZER: `urn:uuid:${event().storeId}` },
  });
  expect(scheduled).not.toMatch(/DESCRIPTION|X-MOSTRADOR/);
  const cancelled = renderInvitation(event({ sequence: 3 }), 'CANCEL');
  expect(cancelled).toMatch(/^BEGIN:VCALENDAR\r\n(?:.*\r\n)*?METHOD:CANCEL\r\n/);
  expect(Object.fromEntries(valuesIn(cancelled))).toMatchObject({ SEQUENCE: '3', STATUS: 'CANCELLED' });
});
