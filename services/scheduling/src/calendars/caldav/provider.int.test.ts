import { randomUUID } from 'node:crypto';
import { localEgress } from '@mostrador/testing/context';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { type CaldavServer, startRadicale, startXandikos } from '@mostrador/testing/providers/caldav/servers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startHttpProxy } from '../../../test/http-proxy.ts';
import { newEvent, next, providerContract } from '../../../test/provider-contract.ts';
import type { CalendarEvent, CalendarProvider } from '../calendar-provider.ts';
import { createProviders } from '../providers.ts';

/** Long, because the first run installs the servers. */
const installTimeoutMs = 10 * 60_000;

const openProvider = createProviders(localEgress());

const signal = () => AbortSignal.timeout(60_000);

describe.each([
  { name: 'Radicale', start: startRadicale, sameUidElsewhere: 409, deleted: 200 },
  { name: 'Xandikos', start: startXandikos, sameUidElsewhere: 412, deleted: 204 },
])('a calendar on $name', ({ start, sameUidElsewhere, deleted }) => {
  let server: CaldavServer;
  let provider: CalendarProvider;

  const open = (settings: Partial<CaldavServer> = {}): CalendarProvider => {
    const { collectionUrl: url, username, password } = { ...server, ...settings };
    return openProvider({
      storeId: randomUUID(),
      provider: 'caldav',
      settings: { url, username },
      credentials: { password },
    });
  };

  /** Sends a request as another calendar program would. */
  const request = (method: string, href: string, headers: Record<string, string> = {}, body?: string) => {
    const authorization = `Basic ${Buffer.from(`${server.username}:${server.password}`).toString('base64')}`;
    return fetch(href, { method, headers: { authorization, 'content-type': 'text/calendar', ...headers }, body });
  };

  const seen = async (event: CalendarEvent) => (await readEvents(server)).filter(({ uid }) => uid === event.uid);

  beforeAll(async () => {
    server = await start();
  }, installTimeoutMs);
  afterAll(() => server?.dispose());
  beforeEach(() => {
    provider = open();
  });

  providerContract(() => ({
    open,
    seen: () => readEvents(server),
    async retitleByHand(href, title) {
      const icalendar = await (await request('GET', href)).text();
      const edited = icalendar.replace(/SEQUENCE:0/, 'SEQUENCE:7').replace(/SUMMARY:.*/, `SUMMARY:${title}`);
      expect((await request('PUT', href, {}, edited)).ok).toBe(true);
    },
    async deleteByHand(href) {
      expect((await request('DELETE', href)).status).toBe(deleted);
    },
    async revisionOf(href) {
      return Number(/\r\nSEQUENCE:(\d+)/.exec(await (await request('GET', href)).text())?.[1]);
    },
    stop: server.stop,
    start: server.start,
  }));

  test("derives the address of an event from the appointment's id", async () => {
    const event = newEvent();
    const { href } = await provider.put(event, null, signal());
    expect(href).toBe(`${server.collectionUrl}${event.uid.replace('@mostrador', '')}.ics`);
  });

  test('passes the check without the trailing slash of its address', async () => {
    await open({ collectionUrl: server.collectionUrl.replace(/\/$/, '') }).verify(signal());
  });

  test('that does not exist is refused', async () => {
    const nowhere = open({ collectionUrl: new URL('../nowhere/', server.collectionUrl).href });
    await expect(nowhere.verify(signal())).rejects.toMatchObject({ kind: 'refused', code: 'calendar_not_found' });
    await expect(nowhere.put(newEvent(), null, signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_not_found',
    });
  });

  test('is refused when the address is that of the account', async () => {
    const account = open({ collectionUrl: new URL('..', server.collectionUrl).href });
    await expect(account.verify(signal())).rejects.toMatchObject({ kind: 'refused', code: 'calendar_not_a_calendar' });
  });

  test('gets a change where another program has moved the event, without a second event', async () => {
    const event = newEvent();
    const created = await provider.put(event, null, signal());
    const icalendar = await (await request('GET', created.href)).text();
    await request('DELETE', created.href);
    const elsewhere = new URL('moved-by-hand.ics', server.collectionUrl).href;
    expect((await request('PUT', elsewhere, {}, icalendar)).status).toBe(201);
    const changed = await provider.put(next(event, { title: 'Outro' }), created, signal());
    expect(changed.href).toBe(elsewhere);
    expect(await seen(event)).toMatchObject([{ title: 'Outro' }]);
    await provider.remove(changed, signal());
    expect(await seen(event)).toEqual([]);
  });

  test.each<[string, (path: string) => string]>([
    ['escapes it', (path) => path],
    ['stands behind a proxy that removes a prefix', (path) => `/dav${path}`],
    ['stands behind a proxy that adds a prefix', () => '/loja@exemplo.com/'],
  ])('with @ in its address finds a moved event when its server %s', async (_, outside) => {
    const inside = new URL(`../loja@${randomUUID()}/`, server.collectionUrl);
    const authorization = `Basic ${Buffer.from(`${server.username}:${server.password}`).toString('base64')}`;
    expect((await fetch(inside, { method: 'MKCALENDAR', headers: { authorization } })).status).toBe(201);
    const proxy = await startHttpProxy(inside, { path: outside(inside.pathname) });
    try {
      const behind = open({ collectionUrl: proxy.url });
      const event = newEvent();
      const created = await behind.put(event, null, signal());
      const icalendar = await (await request('GET', created.href)).text();
      await request('DELETE', created.href);
      const elsewhere = `${proxy.url}moved-by-hand.ics`;
      expect((await request('PUT', elsewhere, {}, icalendar)).status).toBe(201);
      const changed = await behind.put(next(event, { title: 'Outro' }), created, signal());
      expect(changed.href).toBe(elsewhere);
      expect(await (await request('GET', elsewhere)).text()).toContain('SUMMARY:Outro');
      await behind.remove(changed, signal());
      expect((await request('GET', elsewhere)).status).toBe(404);
    } finally {
      proxy.server.closeAllConnections();
      proxy.server.close();
    }
  });

  test("with another event at the event's address rejects the event and keeps the other one", async () => {
    const stranger = newEvent();
    const event = newEvent();
    const reference = await provider.put(stranger, null, signal());
    const icalendar = await (await request('GET', reference.href)).text();
    await provider.remove(reference, signal());
    const href = `${server.collectionUrl}${event.uid.replace('@mostrador', '')}.ics`;
    expect((await request('PUT', href, {}, icalendar)).status).toBe(201);
    await expect(provider.put(event, null, signal())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'calendar_event_conflict',
    });
    expect(await seen(stranger)).toHaveLength(1);
  });

  describe('answers conditional requests as the adapter expects', () => {
    const body = (uid: string) =>
      [
        ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//another//program//EN', 'BEGIN:VEVENT', `UID:${uid}`],
        ...['DTSTAMP:20261121T100000Z', 'DTSTART:20270131T120000Z', 'DTEND:20270131T124500Z', 'SUMMARY:x'],
        ...['END:VEVENT', 'END:VCALENDAR', ''],
      ].join('\r\n');

    test('a creation gets 201 with a strong ETag, and a second one gets 412', async () => {
      const uid = randomUUID();
      const href = `${server.collectionUrl}${uid}.ics`;
      const created = await request('PUT', href, { 'if-none-match': '*' }, body(uid));
      expect(created.status).toBe(201);
      expect(created.headers.get('etag')).toMatch(/^"/);
      expect((await request('PUT', href, { 'if-none-match': '*' }, body(uid))).status).toBe(412);
    });

    test(`the same UID at another address gets ${sameUidElsewhere} with no-uid-conflict`, async () => {
      const uid = randomUUID();
      await request('PUT', `${server.collectionUrl}${uid}.ics`, { 'if-none-match': '*' }, body(uid));
      const other = await request('PUT', `${server.collectionUrl}${uid}-2.ics`, { 'if-none-match': '*' }, body(uid));
      expect(other.status).toBe(sameUidElsewhere);
      expect(await other.text()).toContain('no-uid-conflict');
    });

    test('a stale If-Match gets 412, and a current one gets 204 with a new ETag', async () => {
      const uid = randomUUID();
      const href = `${server.collectionUrl}${uid}.ics`;
      const etag = (await request('PUT', href, { 'if-none-match': '*' }, body(uid))).headers.get('etag') ?? '';
      expect((await request('PUT', href, { 'if-match': '"stale"' }, body(uid))).status).toBe(412);
      const changed = await request('PUT', href, { 'if-match': etag }, body(uid).replace('SUMMARY:x', 'SUMMARY:y'));
      expect(changed.status).toBe(204);
      expect(changed.headers.get('etag')).toMatch(/^"/);
      expect(changed.headers.get('etag')).not.toBe(etag);
    });
  });
});

describe('servers differ', () => {
  let radicale: CaldavServer;
  let xandikos: CaldavServer;
  beforeAll(async () => {
    [radicale, xandikos] = await Promise.all([startRadicale(), startXandikos()]);
  }, installTimeoutMs);
  afterAll(() => Promise.all([radicale?.dispose(), xandikos?.dispose()]));

  const report = (body: string) => {
    const authorization = `Basic ${Buffer.from(`${radicale.username}:${radicale.password}`).toString('base64')}`;
    const headers = { authorization, depth: '1', 'content-type': 'application/xml' };
    return fetch(radicale.collectionUrl, { method: 'REPORT', headers, body });
  };

  test('without credentials Radicale responds with 401 and Xandikos with 207', async () => {
    const propfind = ({ collectionUrl }: CaldavServer) =>
      fetch(collectionUrl, { method: 'PROPFIND', headers: { depth: '0' } });
    expect((await propfind(radicale)).status).toBe(401);
    expect((await propfind(xandikos)).status).toBe(207);
  });

  test('an invalid sync-token gets 403 with valid-sync-token on Radicale', async () => {
    const token = '<sync-token>http://radicale.org/ns/sync/none</sync-token><sync-level>1</sync-level><prop/>';
    const answer = await report(`<sync-collection xmlns="DAV:">${token}</sync-collection>`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('valid-sync-token');
  });

  test('a free-busy REPORT gets 200 with VFREEBUSY on Radicale', async () => {
    const range = '<time-range start="20270101T000000Z" end="20270201T000000Z"/>';
    const answer = await report(`<free-busy-query xmlns="urn:ietf:params:xml:ns:caldav">${range}</free-busy-query>`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('BEGIN:VFREEBUSY');
  });
});

describe('credentials on Radicale', () => {
  let server: Awaited<ReturnType<typeof startRadicale>>;
  const open = (username: string | undefined, password: string | undefined, url = server.collectionUrl) =>
    openProvider({ storeId: randomUUID(), provider: 'caldav', settings: { url, username }, credentials: { password } });

  beforeAll(async () => {
    server = await startRadicale();
  }, installTimeoutMs);
  afterAll(() => server?.dispose());

  test('are refused when they are wrong or missing', async () => {
    for (const provider of [open('tester', 'wrong'), open('nobody', server.password), open(undefined, undefined)]) {
      const refusal = { kind: 'refused', code: 'calendar_credentials_refused' };
      await expect(provider.verify(signal())).rejects.toMatchObject(refusal);
      await expect(provider.put(newEvent(), null, signal())).rejects.toMatchObject(refusal);
    }
  });

  test('are refused after the password has changed', async () => {
    const provider = open(server.username, server.password);
    await provider.verify(signal());
    await server.changePassword('another');
    await expect(provider.verify(signal())).rejects.toMatchObject({ code: 'calendar_credentials_refused' });
    await open(server.username, server.password).verify(signal());
  });

  test("of one person give no access to another person's calendar", async () => {
    const provider = open(server.username, server.password, new URL('/other/calendar/', server.collectionUrl).href);
    await expect(provider.verify(signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_permission_denied',
    });
  });

  test('never appear in an error', async () => {
    const provider = open('tester', 'pässword-that-is-wrong');
    const error: Error = await provider.verify(signal()).then(
      () => expect.unreachable('the check did not fail'),
      (thrown: Error) => thrown,
    );
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/p.ssword-that-is-wrong|tester/);
  });
});
