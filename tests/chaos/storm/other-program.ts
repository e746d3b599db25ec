import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@mostrador/testing/random';
import type { ChaosStore, Entry, Journal } from './journal.ts';
import { slotOf } from './wishes.ts';

export type OtherProgram = {
  /** Ends the changes, after the one that runs. */
  stop(): Promise<void>;
};

type Options = {
  readonly stores: readonly ChaosStore[];
  readonly journal: Journal;
  readonly random: Random;
  readonly calendar: { readonly username: string | undefined; readonly password: string | undefined };
};

const restMs = 700;
const requestMs = 5_000;
/** Few, because a calendar that loses most events between two looks cancels none. */
const deleted = 0.04;
/** The texts of its own events begin so. */
export const ownUid = 'other-program-';

/**
 * Starts a calendar program that is not ours. It moves and deletes events of appointments, and has busy times of its own. It
 * writes only over the version of an event that it has read, as calendar programs do.
 */
export function startOtherProgram({ stores, journal, random, calendar }: Options): OtherProgram {
  let on = true;
  const authorization = `Basic ${Buffer.from(`${calendar.username}:${calendar.password}`).toString('base64')}`;
  const ask = (url: URL, method: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(url, {
      method,
      headers: { authorization, 'content-type': 'text/calendar', ...headers },
      signal: AbortSignal.timeout(requestMs),
      ...(body !== undefined && { body }),
    });
  const change = async (calendarUrl: string, { ids }: Entry) => {
    const url = new URL(`${[...ids][0]}.ics`, calendarUrl);
    const answer = await ask(url, 'GET');
    const text = await answer.text();
    const etag = answer.headers.get('etag');
    // The event is not written yet, or is gone.
    if (!answer.ok || etag === null) return;
    const { start, minutes } = slotOf(random);
    const moved = text
      .replace(/DTSTART:\S+/, `DTSTART:${compact(start)}`)
      .replace(/DTEND:\S+/, `DTEND:${compact(start + minutes * 60_000)}`);
    const version = { 'if-match': etag };
    const done = random.next() < deleted ? ask(url, 'DELETE', version) : ask(url, 'PUT', version, moved);
    if ((await done).ok) journal.counts.inCalendars += 1;
  };
  const beBusy = async (calendarUrl: string) => {
    const uid = `${ownUid}${random.below(5)}`;
    const { start, minutes } = slotOf(random);
    const event = ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T000000Z', 'SUMMARY:Dentist', 'SEQUENCE:0'];
    const times = [`DTSTART:${compact(start)}`, `DTEND:${compact(start + minutes * 60_000)}`, 'END:VEVENT'];
    const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:other', ...event, ...times, 'END:VCALENDAR', ''];
    const answer = await ask(new URL(`${uid}.ics`, calendarUrl), 'PUT', {}, lines.join('\r\n'));
    if (answer.ok) journal.counts.inCalendars += 1;
  };
  const work = async (storeId: string, calendarUrl: string) => {
    while (on) {
      await pause(restMs * (0.5 + random.next()));
      const entries = journal.entries.filter((one) => one.kind === 'booking' && one.storeId === storeId);
      const made = entries.filter(({ acknowledged }) => acknowledged !== undefined);
      const doing =
        made.length > 0 && random.next() < 0.8 ? change(calendarUrl, random.pick(made)) : beBusy(calendarUrl);
      // The calendar may be down or hang.
      await doing.catch(() => {});
    }
  };
  const working = Promise.all(stores.flatMap(({ id, booked }) => (booked ? work(id, booked.calendarUrl) : [])));
  return {
    async stop() {
      on = false;
      await working;
    },
  };
}

const compact = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
