import { getAvailability as operation, type ReplyOf } from '@mostrador/contracts';
import { dayMs, minuteMs } from '@mostrador/hours/local-days';
import { serializeReply } from '@mostrador/kit/rpc/server';
import type { FoundTime } from './find-free-times.ts';

type Answer = Omit<ReplyOf<typeof operation>, 'data'> & {
  readonly times: readonly FoundTime[];
  readonly duration_minutes: number;
};

const someInstant = '2000-01-01T00:00:00.000Z';

/**
 * Writes the answer as `serializeReply` does. A list of free times has a thousand instants. As texts and objects they were
 * most of the garbage of the process, and collecting it took longer than finding the times.
 *
 * @param answer its instants are in the years 1000 to 9999
 */
export function writeFreeTimes({ times, duration_minutes, ...answer }: Answer): Buffer {
  const around = serializeReply(operation, { ...answer, data: [] });
  const listAt = around.indexOf('[') + 1;
  const templates = new Map<string | null, Buffer>();
  let size = around.length;
  for (const { seller_id } of times) {
    const known = templates.get(seller_id) ?? templateOf(seller_id);
    templates.set(seller_id, known);
    size += known.length;
  }
  // The last entry has no comma.
  const bytes = Buffer.allocUnsafe(times.length > 0 ? size - 1 : size);
  around.copy(bytes, 0, 0, listAt);
  const write = instantWriter(bytes);
  let at = listAt;
  for (const [index, { start, seller_id }] of times.entries()) {
    const template = templates.get(seller_id) as Buffer;
    const length = index < times.length - 1 ? template.length : template.length - 1;
    template.copy(bytes, at, 0, length);
    write(at + startAt, start);
    write(at + endAt, start + duration_minutes * minuteMs);
    at += length;
  }
  around.copy(bytes, at, listAt);
  return bytes;
}

/** An entry with any times, and a comma. */
const templateOf = (seller_id: string | null): Buffer =>
  Buffer.from(`${JSON.stringify({ start: someInstant, end: someInstant, seller_id })},`);
const startAt = templateOf(null).indexOf(someInstant);
const endAt = templateOf(null).lastIndexOf(someInstant);

/** Writes instants as `toISOString` does. Those of one day follow each other, so each date is made once. */
function instantWriter(bytes: Buffer): (at: number, instant: number) => void {
  let day = Number.NaN;
  const date = Buffer.from(someInstant.slice(0, 'yyyy-mm-dd'.length));
  const writeDigits = (at: number, count: number, number: number) => {
    for (let place = at + count - 1, left = number; place >= at; place -= 1, left = Math.floor(left / 10)) {
      bytes[place] = 0x30 + (left % 10);
    }
  };
  return (at, instant) => {
    const begins = Math.floor(instant / dayMs) * dayMs;
    if (begins !== day) {
      day = begins;
      date.write(new Date(begins).toISOString());
    }
    bytes.set(date, at);
    const ms = instant - begins;
    writeDigits(at + 'yyyy-mm-ddT'.length, 2, Math.floor(ms / 3_600_000));
    writeDigits(at + 'yyyy-mm-ddThh:'.length, 2, Math.floor(ms / minuteMs) % 60);
    writeDigits(at + 'yyyy-mm-ddThh:mm:'.length, 2, Math.floor(ms / 1000) % 60);
    writeDigits(at + 'yyyy-mm-ddThh:mm:ss.'.length, 3, ms % 1000);
  };
}
