import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { createEgress } from '@mostrador/kit/clients/egress';
import { localEgress } from '@mostrador/testing/context';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { type CaldavServer, startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Exchange, passOn, startHttpProxy } from '../../../test/http-proxy.ts';
import { newEvent, next } from '../../../test/provider-contract.ts';
import type { CalendarError, CalendarEvent } from '../calendar-provider.ts';
import { renderEvent } from '../icalendar.ts';
import { createCaldavProvider } from './provider.ts';

const event: CalendarEvent = {
  uid: '0190c3f2-7b1e-7c3a-8f4d-2a9b6c1d5e7f@mostrador',
  storeId: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  epoch: 0,
  sequence: 0,
  title: 'Corte de Maria',
  notes: null,
  startsAt: new Date('2027-01-31T12:00:00.000Z'),
  durationMinutes: 45,
  createdAt: new Date('2026-11-21T10:00:00.000Z'),
  updatedAt: new Date('2026-11-21T10:00:00.000Z'),
  timeChangedAt: new Date('2026-11-21T10:00:00.000Z'),
};
const reference = { eventId: event.uid, href: null, etag: null };
/** Longer than a test may take. */
const signal = () => AbortSignal.timeout(300_000);

const errorOf = (attempt: Promise<unknown>): Promise<CalendarError> =>
  attempt.then(
    () => expect.unreachable('the attempt did not fail'),
    (error) => error,
  );

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server that answers as the test says, with the requests that it received. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void, timeoutMs = 60_000) {
  const requests: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    requests.push(incoming);
    incoming.resume().once('end', () => answer(incoming, response));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/calendar/`;
  const provider = createCaldavProvider({
    egress: localEgress(),
    url,
    username: 'tester',
    password: 'secret',
    timeoutMs,
  });
  return { url, provider, requests };
}

const multistatus = (props: string) =>
  `<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/calendar/</href><propstat>` +
  `<prop>${props}</prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`;

const calendarType = '<resourcetype><collection/><C:calendar/></resourcetype>';

const describing = (props: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(207, { 'content-type': 'application/xml; charset=utf-8' }).end(multistatus(props));

describe('a server that hangs', () => {
  test.each([
    ['before the response', (_: IncomingMessage, _response: ServerResponse) => {}],
    [
      'within the response',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(207).write('<multi'),
    ],
  ])('%s counts as unavailable within the time limit', async (_, hang) => {
    const { provider } = await serve(hang, 500);
    const timedOut = { kind: 'unavailable', code: 'calendar_timeout' };
    await expect(provider.verify(signal())).rejects.toMatchObject(timedOut);
    await expect(provider.put(event, null, signal())).rejects.toMatchObject(timedOut);
    await expect(provider.remove(reference, signal())).rejects.toMatchObject(timedOut);
  });

  test("is abandoned at once when the caller's signal is aborted", async () => {
    const caller = new AbortController();
    const { provider } = await serve(() => caller.abort());
    await expect(provider.put(event, null, caller.signal)).rejects.toMatchObject({ code: 'calendar_timeout' });
  });
});

describe('a redirect', () => {
  test('within the origin is followed with the same method, body and credentials', async () => {
    const { provider, requests } = await serve((incoming, response) => {
      if (incoming.url?.startsWith('/calendar/')) {
        response.writeHead(301, { location: incoming.url.replace('/calendar/', '/moved/') }).end();
      } else response.writeHead(201, { etag: '"one"' }).end();
    });
    expect(await provider.put(event, null, signal())).toMatchObject({ etag: '"one"' });
    const [, last] = requests;
    expect(last).toMatchObject({ method: 'PUT', url: expect.stringMatching(/^\/moved\//) });
    expect(last?.headers).toMatchObject({ authorization: expect.any(String), 'if-none-match': '*' });
    expect(Number(last?.headers['content-length'])).toBeGreaterThan(100);
  });

  test('to another origin is not followed, and the error names only that origin', async () => {
    const other = await serve((_, response) => response.writeHead(201).end());
    const target = other.url.replace('http://', 'http://user:hidden@');
    const { provider } = await serve((_, response) => response.writeHead(302, { location: target }).end());
    const error = await errorOf(provider.put(event, null, signal()));
    expect(error).toMatchObject({ kind: 'refused', code: 'calendar_moved' });
    expect(error.detail).toContain(new URL(other.url).origin);
    expect(error.detail).not.toContain('hidden');
    expect(other.requests).toEqual([]);
  });

  test('loop ends', async () => {
    const { provider, requests } = await serve((_, response) =>
      response.writeHead(307, { location: '/calendar/' }).end(),
    );
    await expect(provider.verify(signal())).rejects.toMatchObject({ kind: 'refused', code: 'calendar_moved' });
    expect(requests.length).toBeLessThan(10);
  });
});

describe('a response', () => {
  test('that is too large is not read to its end', async () => {
    const { provider } = await serve((_, response) => {
      response.writeHead(207, { 'content-type': 'application/xml' });
      const chunk = 'x'.repeat(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    await expect(provider.verify(signal())).rejects.toMatchObject({ code: 'calendar_answer_too_large' });
  });

  test('that cannot be read does not count as a calendar', async () => {
    for (const body of [
      '',
      '<multistatus',
      'not xml',
      '<multistatus xmlns="DAV:"/>',
      '<html><body>Welcome</body></html>',
    ]) {
      const { provider } = await serve((_, response) =>
        response.writeHead(207, { 'content-type': 'application/xml' }).end(body),
      );
      await expect(provider.verify(signal())).rejects.toMatchObject({ name: 'CalendarError' });
    }
  });

  test('of status 429 carries Retry-After', async () => {
    const { provider } = await serve((_, response) => response.writeHead(429, { 'retry-after': '17' }).end());
    await expect(provider.put(event, null, signal())).rejects.toMatchObject({
      kind: 'throttled',
      retryAfterSeconds: 17,
    });
  });

  test('that quotes the event is not copied into the error', async () => {
    const { provider } = await serve((_, response) => response.writeHead(400).end('Bad event: Corte de Maria'));
    const error = await errorOf(provider.put(event, null, signal()));
    expect(error).toMatchObject({ kind: 'rejected', code: 'calendar_event_rejected' });
    expect(`${error.message} ${error.detail}`).not.toContain('Maria');
  });

  test('without an ETag, or with a weak one, does not block the next change', async () => {
    let stored = '';
    const { provider, requests } = await serve((incoming, response) => {
      if (incoming.method === 'GET') response.writeHead(200, { etag: 'W/"weak"' }).end(stored);
      else response.writeHead(incoming.headers['if-match'] ? 412 : 204, { etag: 'W/"weak"' }).end();
    });
    const known = await provider.put(event, null, signal());
    expect(known.etag).toBeNull();
    stored = renderEvent(event);
    await provider.put({ ...event, sequence: 1 }, known, signal());
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'GET', 'PUT']);
  });

  test('404 to a change means that the event is gone, so the event is created again', async () => {
    const { provider, requests } = await serve((incoming, response) => {
      const absent = incoming.method === 'GET' || incoming.headers['if-match'];
      response.writeHead(absent ? 404 : 201, absent ? {} : { etag: '"new"' }).end();
    });
    const created = await provider.put(event, null, signal());
    const changed = await provider.put({ ...event, sequence: 1 }, created, signal());
    expect(changed).toEqual({ ...created, isDeleted: true });
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'GET', 'PUT']);
  });

  test('412 to every attempt counts as unavailable', async () => {
    const { provider, requests } = await serve((incoming, response) =>
      response.writeHead(incoming.method === 'PUT' ? 412 : 404).end(),
    );
    const known = { eventId: event.uid, href: 'http://elsewhere.example/x.ics', etag: '"one"' };
    await expect(provider.put(event, known, signal())).rejects.toMatchObject({ name: 'CalendarError' });
    expect(requests.length).toBeLessThan(20);
  });
});

describe('a collection', () => {
  test('that lists neither components nor privileges is accepted', async () => {
    const { provider } = await serve(describing(calendarType));
    await provider.verify(signal());
  });

  test('that does not support events is refused', async () => {
    const tasks = '<C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set>';
    const { provider } = await serve(describing(calendarType + tasks));
    await expect(provider.verify(signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_takes_no_events',
    });
  });

  test('that is read-only is refused', async () => {
    const rights = '<current-user-privilege-set><privilege><read/></privilege></current-user-privilege-set>';
    const { provider } = await serve(describing(calendarType + rights));
    await expect(provider.verify(signal())).rejects.toMatchObject({ kind: 'refused', code: 'calendar_read_only' });
  });

  test('that is an address book is refused', async () => {
    const { provider } = await serve(describing('<resourcetype><collection/></resourcetype>'));
    await expect(provider.verify(signal())).rejects.toMatchObject({ kind: 'refused', code: 'calendar_not_a_calendar' });
  });

  test.each([
    [undefined],
    ['calendar.example.com'],
    ['ftp://calendar.example.com/'],
    ['file:///etc/passwd'],
    ['https://user:hidden@calendar.example.com/'],
    ['https://calendar.example.com/?token=hidden'],
  ])('at %s is refused without a request', async (url) => {
    const provider = createCaldavProvider({ egress: localEgress(), url, username: 'tester', password: 'secret' });
    const error = await errorOf(provider.verify(signal()));
    expect(error).toMatchObject({ kind: 'refused', code: 'calendar_url_invalid' });
    expect(error.message).not.toContain('hidden');
  });
});

test('an address in a private network, or without TLS, is refused without a request', async () => {
  const { url, requests } = await serve((_, response) => response.end());
  for (const address of [url, url.replace('http:', 'https:'), 'http://calendar.example.com/']) {
    const provider = createCaldavProvider({ egress: createEgress({}), url: address, username: 'u', password: 'p' });
    const error = await errorOf(provider.verify(signal()));
    expect(error).toMatchObject({ kind: 'refused', code: 'calendar_address_refused' });
  }
  expect(requests).toEqual([]);
});

test('the error of a calendar that cannot be reached shows nothing of the network', async () => {
  const { url, provider } = await serve((incoming) => incoming.socket.destroy());
  const error = await errorOf(provider.verify(signal()));
  expect(error).toMatchObject({ code: 'calendar_unreachable', detail: 'The calendar could not be reached.' });
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(new URL(url).port);
});

describe('behind a proxy, a real server', () => {
  let radicale: CaldavServer;
  beforeAll(async () => {
    radicale = await startRadicale();
  }, 10 * 60_000);
  afterAll(() => radicale?.dispose());

  const through = async (answered: (exchange: Exchange) => void) => {
    const proxy = await startHttpProxy(new URL(radicale.collectionUrl), { answered });
    servers.push(proxy.server);
    return createCaldavProvider({
      egress: localEgress(),
      url: proxy.url,
      username: radicale.username,
      password: radicale.password,
    });
  };
  const seen = async ({ uid }: CalendarEvent) => (await readEvents(radicale)).filter((event) => event.uid === uid);

  test('whose response is lost after it accepted the request gets no duplicate, and the next attempt succeeds', async () => {
    let losing = true;
    const provider = await through((exchange) => {
      const { incoming, answer } = exchange;
      if (!losing || !['PUT', 'DELETE'].includes(String(incoming.method))) return passOn(exchange);
      answer.resume().once('end', () => incoming.socket.destroy());
    });
    const lossyThenWell = async <T>(attempt: () => Promise<T>): Promise<T> => {
      losing = true;
      await expect(attempt()).rejects.toMatchObject({ kind: 'unavailable', code: 'calendar_unreachable' });
      losing = false;
      return attempt();
    };
    const created = await lossyThenWell(() => provider.put(event, null, signal()));
    expect(await seen(event)).toMatchObject([{ uid: event.uid, sequence: 0 }]);
    const moved = { ...event, sequence: 1, startsAt: new Date('2027-02-01T09:00:00.000Z') };
    const changed = await lossyThenWell(() => provider.put(moved, created, signal()));
    expect(await seen(event)).toMatchObject([{ uid: event.uid, sequence: 1, start: '2027-02-01T09:00:00Z' }]);
    await lossyThenWell(() => provider.remove(changed, signal()));
    expect(await seen(event)).toEqual([]);
  });

  test.each([
    ['-gzip', 'gzip'],
    ['--gzip', 'gzip'],
    [';gzip', undefined],
  ])('whose ETags get %s from a compression (%s) that was not asked for takes every change', async (suffix, coding) => {
    const asked = new Set<unknown>();
    const altered = (etag = '') => etag.replace(/"$/, `${suffix}"`);
    const provider = await through((exchange) => {
      const { incoming, answer, response } = exchange;
      asked.add(incoming.headers['accept-encoding']);
      if (incoming.method !== 'GET' || answer.statusCode !== 200) return passOn(exchange);
      const { 'content-length': _, etag, ...headers } = answer.headers;
      response.writeHead(200, { ...headers, etag: altered(etag), ...(coding && { 'content-encoding': coding }) });
      if (coding) answer.pipe(createGzip()).pipe(response);
      else answer.pipe(response);
    });
    let changing = newEvent();
    const created = await provider.put(changing, null, signal());
    // The second is what an earlier version of this service has recorded.
    for (const etag of [null, altered(String(created.etag))]) {
      changing = next(changing, { title: `With ${etag}` });
      const changed = await provider.put(changing, { ...created, etag }, signal());
      expect(changed.etag).toMatch(/^"[^"-]+"$/);
      expect(await seen(changing)).toMatchObject([{ title: changing.title }]);
    }
    expect([...asked]).toEqual(['identity']);
  });

  const sabre = (message: string) =>
    '<?xml version="1.0" encoding="utf-8"?><d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">' +
    `<s:exception>Sabre\\DAV\\Exception\\BadRequest</s:exception><s:message>${message}</s:message></d:error>`;
  const precondition = '<error xmlns="DAV:"><no-uid-conflict xmlns="urn:ietf:params:xml:ns:caldav"/></error>';

  describe.each([
    [400, 'Nextcloud', sabre('Calendar object with uid already exists in this calendar collection.')],
    [
      400,
      'Nextcloud, of its trash bin',
      sabre('Deleted calendar object with uid already exists in this calendar collection.'),
    ],
    [403, 'the precondition', precondition],
    [409, 'the precondition', precondition],
  ])('that reports a UID conflict with %i as %s', (status, _, body) => {
    let hidden = false;
    /** Gives Radicale's answer to a UID conflict the form of another server. */
    const asThatServer = (exchange: Exchange) => {
      const { incoming, answer, response } = exchange;
      const isConflict = incoming.method === 'PUT' && answer.statusCode === 409;
      const isSearch = incoming.method === 'REPORT' && hidden;
      if (!isConflict && !isSearch) return passOn(exchange);
      answer.resume();
      const headers = { 'content-type': 'application/xml; charset=utf-8' };
      if (isConflict) response.writeHead(status, headers).end(body);
      else response.writeHead(207, headers).end('<multistatus xmlns="DAV:"/>');
    };
    /** An event that another program has put somewhere else in the calendar. */
    const movedEvent = async () => {
      const moved = newEvent();
      const name = `${randomUUID()}.ics`;
      const authorization = `Basic ${Buffer.from(`${radicale.username}:${radicale.password}`).toString('base64')}`;
      const url = new URL(name, radicale.collectionUrl);
      const headers = { authorization, 'content-type': 'text/calendar' };
      expect((await fetch(url, { method: 'PUT', headers, body: renderEvent(moved) })).status).toBe(201);
      return { moved, name };
    };

    test('the event is searched for by its UID, and adopted', async () => {
      hidden = false;
      const provider = await through(asThatServer);
      const { moved, name } = await movedEvent();
      const changed = await provider.put(next(moved, { title: 'Outro' }), null, signal());
      expect(changed.href.endsWith(`/${name}`)).toBe(true);
      expect(await seen(moved)).toMatchObject([{ title: 'Outro' }]);
    });

    test('an event that is not found needs a person, who reads that it is in the trash bin, and what to do', async () => {
      hidden = true;
      const provider = await through(asThatServer);
      const { moved } = await movedEvent();
      const error = await errorOf(provider.put(next(moved, { title: 'Outro' }), null, signal()));
      expect(error).toMatchObject({ kind: 'rejected', code: 'calendar_event_in_trash' });
      expect(error.detail).toMatch(/trash bin.*Restore it or delete it there for good/);
    });
  });
});
