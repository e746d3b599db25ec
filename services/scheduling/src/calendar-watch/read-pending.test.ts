import { expect, test } from 'vitest';
import type { ReadObject } from '../calendars/calendar-provider.ts';
import { readPending } from './read-pending.ts';

const gone = (href: string): ReadObject => ({ href, etag: null, icalendar: null });
const hrefsOf = (objects: readonly ReadObject[]) => objects.map(({ href }) => href);
const signal = new AbortController().signal;

/** Reads missing events of appointments with the ids of their addresses. */
function read(objects: readonly ReadObject[], until: number, hasUid: (uid: string) => boolean) {
  const pending = objects.map(({ href }) => ({ href, appointment_id: href }));
  const reader = {
    read: async () => ({ objects: [...objects], unread: ['never asked'] }),
    hasUid: async (uid: string) => hasUid(uid),
  };
  return readPending(reader, pending, until, signal);
}

test('after its time a step looks one missing event up, and leaves the others to the next one', async () => {
  const asked: string[] = [];
  const found = await read([gone('a'), gone('b'), gone('c')], 0, (uid) => {
    asked.push(uid);
    return true;
  });
  expect(asked).toEqual(['a@mostrador']);
  expect(hrefsOf(found.objects)).toEqual(['a']);
  expect([...found.elsewhere]).toEqual(['a']);
  expect([...found.unread]).toEqual(['never asked', 'b', 'c']);
});

test('a failure leaves what was read before it, and fails a step that has read nothing', async () => {
  const fails = (): boolean => {
    throw new Error('no answer');
  };
  const found = await read([gone('a'), { ...gone('b'), icalendar: '' }], Number.MAX_SAFE_INTEGER, fails);
  expect(hrefsOf(found.objects)).toEqual(['b']);
  expect([...found.unread]).toEqual(['never asked', 'a']);
  await expect(read([gone('a')], Number.MAX_SAFE_INTEGER, fails)).rejects.toThrow('no answer');
});
