import { randomUUID } from 'node:crypto';
import { localEgress } from '@mostrador/testing/context';
import { type CaldavServer, startRadicale, startXandikos } from '@mostrador/testing/providers/caldav/servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Exchange, startHttpProxy } from '../../../test/http-proxy.ts';
import type { CalendarReader } from '../calendar-provider.ts';
import { createProviders } from '../providers.ts';

/** Long, because the first run installs the servers. */
const installTimeoutMs = 10 * 60_000;
const openProvider = createProviders(localEgress());
const since = new Date('2027-01-01T00:00:00Z');
const signal = () => AbortSignal.timeout(60_000);

/** A server that does not know some properties: their names are changed in all that it answers. */
const without =
  (names: RegExp) =>
  async ({ answer, response }: Exchange): Promise<void> => {
    let body = '';
    for await (const chunk of answer.setEncoding('utf8')) body += chunk;
    const { 'content-length': _, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 500, headers).end(body.replaceAll(names, 'unknown'));
  };

describe.each([
  { name: 'Radicale', start: startRadicale },
  { name: 'Xandikos', start: startXandikos },
])('a calendar on $name', ({ start }) => {
  let server: CaldavServer;
  beforeAll(async () => {
    server = await start();
  }, installTimeoutMs);
  afterAll(() => server?.dispose());

  const open = (url = server.collectionUrl): CalendarReader => {
    const { username, password } = server;
    const settings = { url, ...(username && { username }) };
    const credentials = password === undefined ? {} : { password };
    return openProvider({ storeId: randomUUID(), provider: 'caldav', settings, credentials }).reader as CalendarReader;
  };
  const href = (name: string) => new URL(`${name}.ics`, server.collectionUrl).href;
  const request = (method: string, name: string, body?: string) => {
    const authorization = `Basic ${Buffer.from(`${server.username}:${server.password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'text/calendar' };
    return fetch(href(name), { method, headers, ...(body !== undefined && { body }) });
  };
  const put = async (name: string, day = '20270301', text = 'x') => {
    const event = [
      `UID:${name}`,
      'DTSTAMP:20261101T000000Z',
      `DTSTART:${day}T100000Z`,
      'DURATION:PT1H',
      `SUMMARY:${text}`,
    ];
    const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', 'BEGIN:VEVENT', ...event, 'END:VEVENT'];
    expect((await request('PUT', name, [...lines, 'END:VCALENDAR', ''].join('\r\n'))).ok).toBe(true);
  };
  const remove = async (name: string) => expect((await request('DELETE', name)).ok).toBe(true);
  const names = (some: readonly { href: string }[]) =>
    some.map((each) => each.href.split('/').at(-1)?.slice(0, -4)).sort();

  test('is listed once, and then tells what has changed since', async () => {
    const reader = open();
    const [kept, over, gone, later] = [0, 1, 2, 3].map(() => randomUUID()) as [string, string, string, string];
    await put(kept);
    await put(over, '20200101');
    await put(gone);
    const first = await reader.changes(null, since, signal());
    expect(first).toMatchObject({ isFull: true, removed: [], isPart: false });
    expect(names(first.listed)).toEqual(expect.arrayContaining([kept, gone]));
    expect(names(first.listed)).not.toContain(over);

    const nothing = await reader.changes(first.cursor, since, signal());
    expect(nothing).toMatchObject({ isFull: false, listed: [], removed: [] });
    await put(later);
    await put(kept, '20270302');
    await remove(gone);
    const second = await reader.changes(nothing.cursor, since, signal());
    expect([second.isFull, names(second.listed)]).toEqual([false, [kept, later].sort()]);
    expect(second.removed).toEqual([href(gone)]);
    expect(second.listed.every(({ etag }) => etag !== null)).toBe(true);
  });

  test('that does not know the token any more is listed again', async () => {
    const name = randomUUID();
    await put(name);
    const changes = await open().changes('token http://radicale.org/ns/sync/0123', since, signal());
    expect([changes.isFull, names(changes.listed).includes(name)]).toEqual([true, true]);
  });

  test.each([
    ['without sync tokens is listed only when its tag has changed', /sync-token/, false],
    ['without tokens and tags is listed each time', /sync-token|getctag/, true],
  ])('%s', async (_, hidden, isFull) => {
    const proxy = await startHttpProxy(new URL(server.collectionUrl), {
      answered: (exchange) => void without(new RegExp(hidden, 'g'))(exchange),
    });
    try {
      const reader = open(proxy.url);
      const name = randomUUID();
      const first = await reader.changes(null, since, signal());
      const same = await reader.changes(first.cursor, since, signal());
      expect([same.isFull, same.cursor]).toEqual([isFull, first.cursor]);
      await put(name);
      const second = await reader.changes(same.cursor, since, signal());
      expect([second.isFull, names(second.listed).includes(name)]).toEqual([true, true]);
    } finally {
      proxy.server.close();
    }
  });

  test('gives objects, says which are gone, and leaves out what is too large', async () => {
    const [there, large, gone] = [0, 1, 2].map(() => randomUUID()) as [string, string, string];
    await put(there);
    await put(large, '20270301', 'x'.repeat(1024 * 1024));
    const { objects } = await open().read([href(there), href(large), href(gone)], 0, signal());
    const found = new Map(objects.map((object) => [object.href, object.icalendar]));
    expect(found.get(href(there))).toContain(`UID:${there}`);
    expect([found.get(href(large)), found.get(href(gone))]).toEqual(['', null]);
    await remove(large);
  });

  test('finds an event by its UID at any address', async () => {
    const name = randomUUID();
    await put(name);
    expect(await open().hasUid(name, signal())).toBe(true);
    expect(await open().hasUid(randomUUID(), signal())).toBe(false);
  });
});
