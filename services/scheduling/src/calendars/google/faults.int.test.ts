import { inspect } from 'node:util';
import { serializeError } from '@mostrador/kit/process/log';
import { localEgress } from '@mostrador/testing/context';
import {
  apiFault,
  backendError,
  GoogleFault,
  rateLimited,
  tokenFault,
} from '@mostrador/testing/providers/google-calendar/errors';
import {
  type Asked,
  type GoogleServer,
  startGoogleCalendar,
  type Trouble,
} from '@mostrador/testing/providers/google-calendar/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newEvent, next } from '../../../test/provider-contract.ts';
import type { CalendarError, CalendarProvider } from '../calendar-provider.ts';
import { createGoogleProvider } from './provider.ts';
import { type AccessTokens, createAccessTokens } from './tokens.ts';

let google: GoogleServer;
const counted: string[] = [];
let tokens: AccessTokens;
beforeAll(async () => {
  google = await startGoogleCalendar();
});
afterAll(() => google?.stop());
beforeEach(() => {
  google.clear();
  counted.splice(0);
  tokens = createAccessTokens();
});

/** Longer than a test may take. */
const signal = () => AbortSignal.timeout(300_000);
const open = (timeoutMs = 60_000): CalendarProvider =>
  createGoogleProvider({
    settings: { calendar_id: google.calendarId, api_url: google.url, token_url: google.tokenUrl },
    credentials: google.secrets(),
    tokens,
    egress: localEgress(),
    countRequest: (_, result) => void counted.push(result),
    timeoutMs,
  });

const isToken = ({ path }: Asked) => path === '/token';
const isApi = (asked: Asked) => !isToken(asked);
const isWrite = (asked: Asked) => asked.isWrite;
const refreshes = () => google.requests.filter(isToken).length;
const calls = () => google.requests.filter(isApi).length;
const writes = () => google.store.journal.length;

const errorOf = (attempt: Promise<unknown>): Promise<CalendarError> =>
  attempt.then(
    () => expect.unreachable('the attempt did not fail'),
    (error) => error,
  );

test('a reader begins nothing after its time', async () => {
  const { href } = await open().put(newEvent(), null, signal());
  const found = await open().reader?.read([href, 'second', 'third'], 0, signal());
  expect(found).toMatchObject({ objects: [{ href }], unread: ['second', 'third'] });
});

describe('an access token', () => {
  test('is fetched once for all concurrent and later calls of every adapter of the account', async () => {
    await Promise.all(Array.from({ length: 8 }, () => open().put(newEvent(), null, signal())));
    await open().verify(signal());
    expect(refreshes()).toBe(1);
  });

  test('is replaced before use when it is about to expire', async () => {
    google.account.expiresIn = 60;
    await open().verify(signal());
    await open().verify(signal());
    expect(refreshes()).toBe(2);
    google.account.expiresIn = 3599;
    await open().verify(signal());
    await open().verify(signal());
    expect(refreshes()).toBe(3);
  });

  test('is replaced once for all callers when Google rejects it before it expires', async () => {
    await open().verify(signal());
    google.expireAccessTokens();
    await Promise.all(Array.from({ length: 5 }, () => open().put(newEvent(), null, signal())));
    expect(refreshes()).toBe(2);
    expect(writes()).toBe(5);
  });

  test('is not replaced again when another caller reports the same rejection late', async () => {
    const { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken } = google.secrets();
    const account = { clientId, clientSecret, refreshToken, tokenUrl: google.tokenUrl, egress: localEgress() };
    const refused = await tokens.current(account, signal());
    const replacement = await tokens.inPlaceOf(refused, account, signal());
    expect(replacement).not.toBe(refused);
    expect(await tokens.inPlaceOf(refused, account, signal())).toBe(replacement);
    expect(refreshes()).toBe(2);
  });

  test('ends the attempt when Google rejects it right after it was issued', async () => {
    google.misbehave(apiFault(401, 'authError', 'Invalid Credentials'), isApi, Number.POSITIVE_INFINITY);
    await expect(open().put(newEvent(), null, signal())).rejects.toMatchObject({
      kind: 'refused',
      code: 'calendar_credentials_refused',
    });
    expect(refreshes()).toBe(2);
    expect(calls()).toBe(2);
  });

  test('is separate for each account', async () => {
    await open().verify(signal());
    google.revoke();
    await open().verify(signal());
    expect(refreshes()).toBe(2);
  });

  test('is requested again by the next attempt after the token endpoint failed', async () => {
    google.misbehave(backendError(500), isToken);
    await expect(open().verify(signal())).rejects.toMatchObject({ kind: 'unavailable', code: 'calendar_unavailable' });
    await open().verify(signal());
    expect(refreshes()).toBe(2);
  });
});

describe('the client does not retry by itself', () => {
  test.each<[string, Trouble, (asked: Asked) => boolean]>([
    ['after 503 of the API', backendError(), isApi],
    ['after 500 of the API', backendError(500), isApi],
    ['after 429 of the API', rateLimited(429), isApi],
    ['after 403 of the API', rateLimited(403), isApi],
    ['after 503 of the token endpoint', new GoogleFault(503, {}), isToken],
    ['after 429 of the token endpoint', new GoogleFault(429, {}), isToken],
    ['after a lost connection to the API', 'hang up', isApi],
    ['after a lost connection to the token endpoint', 'hang up', isToken],
  ])('%s', async (_, trouble, when) => {
    google.misbehave(trouble, when, Number.POSITIVE_INFINITY);
    const error = await errorOf(open().verify(signal()));
    expect(['unavailable', 'throttled']).toContain(error.kind);
    expect(google.requests.filter(when)).toHaveLength(1);
  });
});

describe('a rate limit', () => {
  test.each([
    [403, 'rateLimitExceeded'],
    [403, 'userRateLimitExceeded'],
    [403, 'quotaExceeded'],
    [429, 'rateLimitExceeded'],
  ] as const)(
    'as HTTP %i %s counts as throttling, with the Retry-After of Google if there is one',
    async (status, reason) => {
      google.misbehave(rateLimited(status, reason, 17), isWrite);
      expect(await errorOf(open().put(newEvent(), null, signal()))).toMatchObject({
        kind: 'throttled',
        retryAfterSeconds: 17,
      });
      google.misbehave(rateLimited(status, reason), isWrite);
      const unnamed = await errorOf(open().put(newEvent(), null, signal()));
      expect(unnamed).toMatchObject({ kind: 'throttled', code: 'calendar_throttled' });
      expect(unnamed.retryAfterSeconds).toBeUndefined();
      expect(writes()).toBe(0);
      expect(counted).toEqual(['limited', 'limited']);
    },
  );

  test('of the token endpoint counts as throttling', async () => {
    google.misbehave(tokenFault(403, 'rate_limit_exceeded', 'Rate Limit Exceeded'), isToken);
    await expect(open().verify(signal())).rejects.toMatchObject({ kind: 'throttled' });
  });
});

describe('a server that hangs', () => {
  test.each<[string, Trouble, (asked: Asked) => boolean]>([
    ['before it accepts the event', 'hang', isWrite],
    ['after it has accepted the event', 'accept and hang', isWrite],
    ['at the token endpoint', 'hang', isToken],
  ])(
    '%s counts as unavailable within the time limit, and the next attempt leaves one event',
    async (_, trouble, when) => {
      const event = newEvent();
      google.misbehave(trouble, when);
      await expect(open(500).put(event, null, signal())).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'calendar_timeout',
      });
      google.behave();
      // A refresh that hangs is shared. New tokens stand for another process or a later time.
      tokens = createAccessTokens();
      await open().put(event, null, signal());
      expect(await google.seen()).toHaveLength(1);
      expect(writes()).toBe(1);
    },
  );

  test('at the token endpoint does not hold a call beyond its limit, and the refresh goes on for all', async () => {
    google.misbehave('hang', isToken);
    for (let call = 0; call < 2; call += 1) {
      await expect(open(200).verify(signal())).rejects.toMatchObject({ code: 'calendar_timeout' });
    }
    // A refresh has a limit of 10 s. A call that waited for its end would be followed by a second refresh.
    expect(refreshes()).toBe(1);
  });

  test("is abandoned at once when the caller's signal is aborted", async () => {
    const caller = new AbortController();
    google.misbehave('hang', (asked) => {
      if (isWrite(asked)) caller.abort();
      return isWrite(asked);
    });
    await expect(open().put(newEvent(), null, caller.signal)).rejects.toMatchObject({ code: 'calendar_timeout' });
    await expect(open().verify(AbortSignal.abort())).rejects.toMatchObject({ code: 'calendar_timeout' });
  });
});

describe('a response that is lost after Google accepted the request', () => {
  test.each<[Trouble]>([['accept and hang up'], ['accept and truncate']])(
    '(%s) causes no duplicate and no failure of the next creation, change or removal',
    async (trouble) => {
      const provider = open();
      const lossyThenWell = async <T>(attempt: () => Promise<T>): Promise<T> => {
        google.misbehave(trouble, isWrite);
        await expect(attempt()).rejects.toMatchObject({ kind: 'unavailable' });
        google.behave();
        return attempt();
      };
      const event = newEvent();
      const created = await lossyThenWell(() => provider.put(event, null, signal()));
      const moved = next(event, { startsAt: new Date('2027-02-01T09:00:00.000Z') });
      const changed = await lossyThenWell(() => provider.put(moved, created, signal()));
      expect(await google.seen()).toMatchObject([{ uid: event.uid, sequence: 1, start: '2027-02-01T09:00:00Z' }]);
      // The response to a removal has no body to truncate.
      if (trouble === 'accept and hang up') await lossyThenWell(() => provider.remove(changed, signal()));
      else await provider.remove(changed, signal());
      expect(await google.seen()).toEqual([]);
      expect(google.store.journal.map(({ verb }) => verb)).toEqual(['insert', 'update', 'delete']);
    },
  );
});

describe('a response', () => {
  test.each([
    ['that is not JSON', { body: '<html>Welcome</html>', type: 'text/html' }],
    ['that is the JSON value null', { body: 'null', type: 'application/json' }],
    ['without the members of an event', { body: '{}', type: 'application/json' }],
    ['that is a redirect', { body: '', type: 'text/plain', status: 302 }],
    ['that is too large', { body: `{"a":"${'x'.repeat(300_000)}"}`, type: 'application/json' }],
  ])('%s does not count as an event', async (_, trouble) => {
    const event = newEvent();
    google.misbehave(trouble, isWrite);
    await expect(open().put(event, null, signal())).rejects.toMatchObject({ name: 'CalendarError' });
    google.misbehave(trouble, ({ method }) => method === 'GET');
    await expect(open().verify(signal())).rejects.toMatchObject({ name: 'CalendarError' });
    google.misbehave(trouble, isToken);
    tokens = createAccessTokens();
    await expect(open().verify(signal())).rejects.toMatchObject({ name: 'CalendarError' });
  });
});

test('no error contains a secret, a token or text of the event', async () => {
  const failures: unknown[] = [];
  const troubles: Trouble[] = [
    ...[backendError(), rateLimited(429), apiFault(400, 'invalid', 'Bad: Maria'), 'hang up' as const],
    apiFault(403, 'forbidden', 'Forbidden'),
    apiFault(401, 'authError', 'Invalid Credentials'),
    'accept and truncate',
    { body: 'Maria', type: 'text/plain', status: 400 },
    tokenFault(400, 'invalid_grant', 'Token has been expired or revoked.'),
  ];
  for (const trouble of troubles) {
    for (const when of [isToken, isWrite]) {
      tokens = createAccessTokens();
      google.misbehave(trouble, when, Number.POSITIVE_INFINITY);
      failures.push(await errorOf(open().put(newEvent({ title: 'Maria', notes: 'Maria' }), null, signal())));
      google.behave();
    }
  }
  const { client_id, client_secret, refresh_token } = google.secrets();
  const planted = [client_id, client_secret, refresh_token, ...google.issued, 'Maria', 'ya29'];
  expect(google.issued.length).toBeGreaterThan(5);
  for (const failure of failures) {
    // Everything that any log could show, and what our log shows.
    const shown = inspect(failure, { depth: 20, showHidden: true }) + JSON.stringify(serializeError(failure));
    for (const secret of planted) expect(shown).not.toContain(secret);
  }
});
