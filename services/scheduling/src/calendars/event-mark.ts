import { hash } from 'node:crypto';
import type { CalendarEvent, EventTime } from './calendar-provider.ts';

/** What Mostrador wrote about an event into the event itself. Null: it says nothing. */
export type EventMark = {
  readonly sequence: number | null;
  readonly epoch: number | null;
  readonly contentHash: string | null;
};

/** A hash of what people see of the event. */
export const contentHashOf = ({ title, notes, startsAt, durationMinutes }: CalendarEvent): string =>
  hash('sha256', JSON.stringify([title, notes, startsAt.getTime(), durationMinutes]), 'base64url');

/** A time that a person gave an event of ours. */
export type MovedTime = EventTime & {
  /** The time that was written before, as `timeMarkOf` wrote it. */
  readonly timeMark: string;
  /** When the event was changed last, in epoch ms. Null: it does not say. */
  readonly changedAt: number | null;
};

/** The time that was written, as a text that a program keeps when a person moves the event. */
export const timeMarkOf = (startMs: number, durationMinutes: number): string =>
  `${Math.floor(startMs / 1000)}/${durationMinutes}`;

/** Whether the event has the time to which a person moved it. */
export const isShownBy = ({ startsAt, durationMinutes }: CalendarEvent, moved: EventTime | null): boolean =>
  moved?.start != null &&
  timeMarkOf(moved.start, moved.durationMinutes) === timeMarkOf(startsAt.getTime(), durationMinutes);

/**
 * Whether the time that a person gave the event is kept: Mostrador has changed no time since it wrote the event, or did so
 * before. Then the next look at the calendar moves the appointment. One that was refused is not kept.
 */
export function isKept(event: CalendarEvent, { timeMark, changedAt }: MovedTime): boolean {
  if (event.replacesEdit) return false;
  if (timeMark === timeMarkOf(event.startsAt.getTime(), event.durationMinutes)) return true;
  return changedAt !== null && changedAt > event.timeChangedAt.getTime();
}

/**
 * Whether the event in the calendar needs no write: it has this content, or a later attempt has written it. Within one
 * epoch the higher sequence is later. In a later epoch only the content counts, because sequences were used again.
 */
export function isUpToDate({ sequence, epoch, contentHash }: EventMark, event: CalendarEvent): boolean {
  if (sequence === null || epoch === null) return false;
  if (epoch > event.epoch) return true;
  if (epoch === event.epoch && sequence !== event.sequence) return sequence > event.sequence;
  return !event.replacesEdit && contentHash === contentHashOf(event);
}

/** The number in a property, or null. */
export function numberIn(text: unknown): number | null {
  const number = Number.parseInt(String(text), 10);
  return Number.isNaN(number) ? null : number;
}
