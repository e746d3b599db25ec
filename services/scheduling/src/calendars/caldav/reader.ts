import type { XmlElement } from '@rgrove/parse-xml';
import { type CalendarChanges, CalendarError, type ReadObject } from '../calendar-provider.ts';
import { memberAddress } from './addresses.ts';
import type { CaldavFetch } from './http.ts';
import { type DavResponse, localName, readMultistatus, readSync } from './multistatus.ts';
import { unreadable } from './refusal.ts';
import { eventsRequest, multigetRequest, propertiesRequest, syncRequest, timeRange } from './requests.ts';

/** A collection that is read. */
export type Reading = {
  readonly base: URL;
  /** Takes the most bytes of a response, and the statuses that are no failures. */
  readonly fetch: (mostBytes: number, expected?: readonly number[]) => CaldavFetch;
};

/** Of some 10,000 addresses with their ETags. */
const mostListBytes = 4 * 1024 * 1024;
/** Of the objects of a step. */
const mostObjectBytes = 1024 * 1024;

// What a cursor begins with. The rest is the server's.
const token = 'token ';
const tag = 'tag ';

/** A server that takes no token any more names no precondition in some cases. */
const tokenRefused = [400, 403, 409, 410, 412];

/** What has changed in a calendar: by its sync token (RFC 6578), else by its tag and the ETags of its events. */
export async function readChanges(reading: Reading, cursor: string | null, since: Date): Promise<CalendarChanges> {
  const changes = cursor?.startsWith(token) ? await readDelta(reading, cursor.slice(token.length)) : undefined;
  if (changes) return changes;
  // Before the list, so that a change after it comes again.
  const now = await readCursor(reading);
  if (now !== null && now === cursor) return { cursor, isFull: false, listed: [], removed: [], isPart: false };
  const answer = await reading.fetch(mostListBytes)(reading.base.href, eventsRequest('<d:getetag/>', timeRange(since)));
  const found = await readMultistatus(answer);
  if (!found) throw unreadable();
  return { cursor: now, isFull: true, listed: membersOf(reading, found), removed: [], isPart: false };
}

/** Undefined: the server does not know the token, or cannot tell the changes since then. */
async function readDelta(reading: Reading, since: string): Promise<CalendarChanges | undefined> {
  const answer = await reading.fetch(mostListBytes, tokenRefused)(reading.base.href, syncRequest(since));
  if (!answer.ok) return undefined;
  const found = await readSync(answer);
  if (!found?.token) throw unreadable();
  const isGone = ({ status }: DavResponse) => status === 404 || status === 410;
  return {
    cursor: token + found.token,
    isFull: false,
    listed: membersOf(
      reading,
      found.responses.filter((response) => !isGone(response)),
    ),
    removed: membersOf(reading, found.responses.filter(isGone)).map(({ href }) => href),
    isPart: found.responses.some(({ status }) => status === 507),
  };
}

/** The present cursor. Null: the server has neither. */
async function readCursor({ base, fetch }: Reading): Promise<string | null> {
  const answer = await fetch(mostListBytes)(base.href, propertiesRequest('<d:sync-token/><s:getctag/>'));
  const [collection] = (await readMultistatus(answer)) ?? [];
  const [syncToken, ctag] = ['sync-token', 'getctag'].map((name) => textOf(collection?.props, name));
  return syncToken ? token + syncToken : ctag ? tag + ctag : null;
}

/** The objects at these addresses, one by one when they are too large together. */
export async function readObjects(reading: Reading, hrefs: readonly string[]): Promise<ReadObject[]> {
  try {
    const paths = hrefs.map((href) => new URL(href).pathname);
    const found = await readMultistatus(
      await reading.fetch(mostObjectBytes)(reading.base.href, multigetRequest(paths)),
    );
    if (!found) throw unreadable();
    const wanted = new Set(hrefs);
    return found.flatMap((response): ReadObject[] => {
      const [member] = membersOf(reading, [response]);
      if (!member || !wanted.has(member.href)) return [];
      if (response.status === 404 || response.status === 410) return [{ ...member, icalendar: null }];
      const icalendar = textOf(response.props, 'calendar-data');
      return icalendar === undefined ? [] : [{ ...member, icalendar }];
    });
  } catch (error) {
    if (!(error instanceof CalendarError) || error.code !== 'calendar_answer_too_large') throw error;
    if (hrefs.length === 1) return hrefs.map((href) => ({ href, etag: null, icalendar: '' }));
    const halves = [hrefs.slice(0, hrefs.length / 2), hrefs.slice(hrefs.length / 2)];
    const [first = [], second = []] = halves;
    return [...(await readObjects(reading, first)), ...(await readObjects(reading, second))];
  }
}

/** What the server says of members of the collection. It may name the collection as well, and members of members. */
const membersOf = ({ base }: Reading, responses: readonly DavResponse[]) =>
  responses.flatMap(({ href: named, props }) => {
    const href = memberAddress(base, named);
    return href === undefined ? [] : [{ href, etag: textOf(props, 'getetag') ?? null }];
  });

const textOf = (props: readonly XmlElement[] | undefined, name: string): string | undefined =>
  props?.find((prop) => localName(prop) === name)?.text.trim() || undefined;
