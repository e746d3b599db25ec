import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SeenEvent } from '../caldav/read-events.ts';
import {
  apiFault,
  fullSyncRequired,
  GoogleFault,
  insufficientScope,
  invalid,
  invalidCredentials,
  needsWriter,
  notFound,
  tokenFault,
} from './errors.ts';
import { calendarZone, createEventStore, type EventBody, listed, type StoredEvent, seen, shown } from './events.ts';
import { pick } from './fields.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWrite: boolean;
};

/** A fault in place of the normal answer. The last four happen after a write was accepted. */
export type Trouble =
  | GoogleFault
  | 'hang'
  | 'hang up'
  | 'accept and hang'
  | 'accept and hang up'
  | 'accept and truncate'
  | { readonly body: string; readonly type: string; readonly status?: number };

/** A channel that a client has opened: developers.google.com/workspace/calendar/api/guides/push */
export type Channel = {
  readonly id: string;
  readonly address: string;
  readonly token: string;
  readonly expiration: number;
};

/** What Google sends to the address of a channel. It says that something has changed, and not what. */
export type Notice = Pick<Channel, 'id' | 'address' | 'token'> & {
  readonly state: 'sync' | 'exists';
  /** 1 for `sync`, and higher for each later one, with gaps. */
  readonly number: number;
};

/** What is left of a list, by the query of its first page, and the latest write by then. */
type ListPage = { readonly asked: string; readonly left: readonly StoredEvent[]; readonly version: number };

type Misbehaviour = { readonly when: (asked: Asked) => boolean; readonly trouble: Trouble; left: number };

export type GoogleServer = Awaited<ReturnType<typeof startGoogleCalendar>>;

const eventsPath = /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/;
/**
 * Starts a stand-in for Google Calendar v3 and its token endpoint, with one account and one calendar. It is as strict
 * as Google's documents describe, and it has the faults that a test sets.
 */
export async function startGoogleCalendar() {
  const calendarId = 'agenda@group.calendar.google.com';
  const client = { client_id: `client-${secret()}`, client_secret: `secret-${secret()}` };
  let refreshToken = `1//${secret()}`;
  const account = ordinary();
  let store = createEventStore(() => tellAll());
  const accessTokens = new Set<string>();
  const issued: string[] = [];
  const requests: Asked[] = [];
  const misbehaviours: Misbehaviour[] = [];
  const meanwhile: { method: string; happens: () => unknown }[] = [];
  /** By token: the number of the latest write that the client knows. */
  const syncTokens = new Map<string, number>();
  const expired = new Set<string>();
  const pages = new Map<string, ListPage>();
  const channels: (Channel & { told: number })[] = [];
  const listeners: ((notice: Notice) => Promise<unknown>)[] = [];
  const tell = ({ id, address, token, told }: Channel & { told: number }) =>
    Promise.allSettled(
      listeners.map((listener) =>
        listener({ ...{ id, address, token }, state: told === 1 ? 'sync' : 'exists', number: told }),
      ),
    );
  const tellAll = () => {
    for (const channel of channels.filter(({ expiration }) => expiration > Date.now())) {
      channel.told += 1;
      told = Promise.all([told, tell(channel)]);
    }
  };
  /** Everything that was told so far. */
  let told: Promise<unknown> = Promise.resolve();
  const pageSize = { most: 2500 };

  const token = (incoming: IncomingMessage, body: string): unknown => {
    // developers.google.com/identity/protocols/oauth2/web-server#offline: a form, posted.
    const type = String(incoming.headers['content-type']);
    if (incoming.method !== 'POST' || !type.startsWith('application/x-www-form-urlencoded')) {
      throw tokenFault(400, 'invalid_request', 'Bad Request');
    }
    const form = new URLSearchParams(body);
    if (form.get('grant_type') !== 'refresh_token')
      throw tokenFault(400, 'unsupported_grant_type', 'Invalid grant_type');
    if (form.get('client_id') !== client.client_id) {
      throw tokenFault(401, 'invalid_client', 'The OAuth client was not found.');
    }
    if (form.get('client_secret') !== client.client_secret) throw tokenFault(401, 'invalid_client', 'Unauthorized');
    if (form.get('refresh_token') !== refreshToken) {
      throw tokenFault(400, 'invalid_grant', 'Token has been expired or revoked.');
    }
    const access = `ya29.${secret()}`;
    accessTokens.add(access);
    issued.push(access);
    return { access_token: access, expires_in: account.expiresIn, scope: account.scope, token_type: 'Bearer' };
  };

  const api = (incoming: IncomingMessage, url: URL, body: string): unknown => {
    const bearer = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1];
    if (!bearer || !accessTokens.has(bearer)) throw invalidCredentials();
    const [, calendar, event] = eventsPath.exec(url.pathname) ?? [];
    const isOurs = calendar && ['primary', calendarId].includes(decodeURIComponent(calendar));
    if (!isOurs) throw notFound();
    const id = event && decodeURIComponent(event);
    const ifMatch = incoming.headers['if-match'];
    const method = incoming.method ?? '';
    if (method !== 'GET') {
      if (account.scope.endsWith('.readonly')) throw insufficientScope();
      if (!['owner', 'writer'].includes(account.role)) throw needsWriter();
    }
    const json = (): EventBody => parseBody(incoming, body);
    if (id === undefined) {
      if (method === 'POST') return shown(store.insert(json()));
      if (method === 'GET') return list(url.searchParams);
      throw notFound();
    }
    if (method === 'POST' && id === 'watch') return watch(json());
    switch (method) {
      case 'GET':
        return withFields(url.searchParams, shown(store.get(id)));
      case 'PUT':
        return shown(store.update(id, json(), ifMatch));
      case 'PATCH':
        return shown(store.patch(id, json(), ifMatch));
      case 'DELETE':
        return store.delete(id, ifMatch);
    }
    throw notFound();
  };

  const watch = async ({ id, type, address, token, params }: Record<string, unknown>): Promise<unknown> => {
    if (typeof id !== 'string' || !/^[A-Za-z0-9\-_+/=]{1,64}$/.test(id)) throw invalid('Invalid channel id.');
    if (channels.some((channel) => channel.id === id))
      throw apiFault(400, 'channelIdNotUnique', 'Channel id not unique');
    if (type !== 'web_hook') throw invalid('Invalid channel type.');
    if (typeof address !== 'string' || !address.startsWith('https://'))
      throw apiFault(400, 'push.webhookUrlNotHttps', `WebHook callback must be HTTPS: ${address}`);
    if (typeof token !== 'string' || token.length > 256) throw invalid('Invalid channel token.');
    const seconds = Number((params as { ttl?: string } | undefined)?.ttl ?? 604_800);
    const expiration = Date.now() + Math.min(seconds, 2_592_000) * 1_000;
    const channel = { id, address, token, expiration, told: 1 };
    channels.push(channel);
    // The first notice arrives before the answer.
    await tell(channel);
    return {
      kind: 'api#channel',
      id,
      resourceId: secret(),
      resourceUri: address,
      token,
      expiration: String(channel.expiration),
    };
  };

  const list = (query: URLSearchParams): unknown => {
    if (query.get('singleEvents') === 'true') throw new Error('the stand-in expands no series');
    const { page, isSyncable } = pageOf(query);
    const size = Math.min(Number(query.get('maxResults') ?? 250), pageSize.most);
    const [items, rest] = [page.left.slice(0, size), page.left.slice(size)];
    const tokenFor = <Kept>(kept: Map<string, Kept>, value: Kept): string => {
      const token = secret();
      kept.set(token, value);
      return token;
    };
    const whole = {
      ...{
        kind: 'calendar#events',
        accessRole: account.role,
        timeZone: calendarZone.timeZone,
        items: items.map(listed).map(withAttendees(query.get('maxAttendees'))),
      },
      // "The nextSyncToken field is present only on the very last page."
      ...(rest.length > 0
        ? { nextPageToken: tokenFor(pages, { ...page, left: rest }) }
        : isSyncable && { nextSyncToken: tokenFor(syncTokens, page.version) }),
    };
    return withFields(query, whole);
  };

  /** The page that a request asks for: the first of its query, or the one that its token names. */
  const pageOf = (query: URLSearchParams): { page: ListPage; isSyncable: boolean } => {
    const { pageToken, syncToken, ...others } = Object.fromEntries(query);
    const withToken = ['iCalUID', 'orderBy', 'privateExtendedProperty', 'q', 'sharedExtendedProperty', 'updatedMin'];
    const isSyncable = withToken.every((name) => !(name in others));
    if (syncToken !== undefined && (!isSyncable || 'timeMin' in others || 'timeMax' in others)) {
      throw invalid('Sync token cannot be used with the other restrictions.');
    }
    // "It is not allowed to set showDeleted to False."
    if (syncToken !== undefined && others.showDeleted === 'false') throw invalid('showDeleted');
    const since = syncToken === undefined ? null : syncTokens.get(syncToken);
    if (since === undefined)
      throw expired.has(String(syncToken)) ? fullSyncRequired() : invalid('Invalid sync token value.');
    const asked = JSON.stringify({ ...others, syncToken });
    if (pageToken !== undefined) {
      const page = pages.get(pageToken);
      // "Perform the exact same list query as for the first page."
      if (page?.asked !== asked) throw invalid('Invalid page token value.');
      return { page, isSyncable };
    }
    const found = store.list({
      // "The result will always contain deleted entries", with a token.
      showDeleted: query.get('showDeleted') === 'true' || since !== null,
      privateProperties: query.getAll('privateExtendedProperty'),
      iCalUID: query.get('iCalUID'),
      timeMin: query.get('timeMin'),
    });
    const left = found.filter((event) => since === null || store.versionOf(event) > since);
    return { page: { asked, left, version: store.version() }, isSyncable };
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://google');
    const isToken = url.pathname === '/token';
    const isWrite = !isToken && incoming.method !== 'GET';
    const asked = { method: incoming.method ?? '', path: url.pathname, query: url.searchParams, isWrite };
    const body = await readAll(incoming);
    requests.push(asked);
    const misbehaviour = misbehaviours.find(({ left, when }) => left > 0 && when(asked));
    if (misbehaviour) misbehaviour.left -= 1;
    const trouble = misbehaviour?.trouble;
    if (trouble === 'hang') return;
    if (trouble === 'hang up') return void incoming.socket.destroy();
    try {
      if (trouble instanceof GoogleFault) throw trouble;
      if (!isToken && meanwhile[0]?.method === incoming.method) await meanwhile.shift()?.happens();
      const result = isToken ? token(incoming, body) : await api(incoming, url, body);
      if (trouble === 'accept and hang') return;
      if (trouble === 'accept and hang up') return void incoming.socket.destroy();
      if (typeof trouble === 'object') return send(response, trouble.status ?? 200, trouble.body, trouble.type);
      const indent = url.searchParams.get('prettyPrint') === 'false' ? undefined : 2;
      const text = result === undefined ? '' : JSON.stringify(result, null, indent);
      const etag = typeof result === 'object' && result && 'etag' in result ? { etag: String(result.etag) } : {};
      const whole = trouble === 'accept and truncate' ? text.slice(0, text.length / 2) : text;
      send(response, text === '' ? 204 : 200, whole, 'application/json; charset=UTF-8', etag);
    } catch (fault) {
      if (!(fault instanceof GoogleFault)) throw fault;
      send(response, fault.status, JSON.stringify(fault.body), 'application/json; charset=UTF-8', fault.headers);
    }
  };

  let server = await listen(answer, 0);
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };

  return {
    url: `http://127.0.0.1:${port}/`,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    calendarId,
    requests: requests as readonly Asked[],
    /** The channels, the latest last. */
    channels: channels as readonly Channel[],
    /** Calls the listener with every notice of every channel until `clear`, as Google calls their addresses. */
    onNotice: (listener: (notice: Notice) => Promise<unknown>) => void listeners.push(listener),
    /** Waits until the listeners are done with every notice. */
    noticed: () => told,
    /** Every access token that it has issued. */
    issued: issued as readonly string[],
    get store() {
      return store;
    },
    secrets: () => ({ ...client, refresh_token: refreshToken }),

    /** The events as a person sees them. */
    seen: async (): Promise<SeenEvent[]> =>
      store
        .all()
        .filter(({ status }) => status !== 'cancelled')
        .map(seen),

    /** Gives the next `times` matching requests this fault. Default: the next one. */
    misbehave(trouble: Trouble, when: (asked: Asked) => boolean = () => true, times = 1): void {
      misbehaviours.push({ trouble, when, left: times });
    },
    behave: () => void misbehaviours.splice(0),
    /** Deletes the event just before the next request of this method, as a person might. */
    deleteBefore: (method: string, id: string) => void meanwhile.push({ method, happens: () => store.delete(id) }),

    /** Does something during the next request of this method, before it is answered. */
    tellDuring: (method: string, happens: () => Promise<unknown>) => void meanwhile.push({ method, happens }),

    /** Expires all access tokens, as time does after an hour. */
    expireAccessTokens: () => accessTokens.clear(),
    /** Expires all sync tokens, as time and changes of permissions do. */
    expireSyncTokens(): void {
      for (const token of syncTokens.keys()) expired.add(token);
      syncTokens.clear();
    },
    /** The most events of a page. Google's pages may be shorter than the client asks for. */
    pageSize,
    /** Revokes the refresh token, as a person does in the account's settings. Returns the new one. */
    revoke(): string {
      accessTokens.clear();
      refreshToken = `1//${secret()}`;
      return refreshToken;
    },
    /** The account's role and scope, and the `expires_in` of its access tokens in seconds. */
    account,

    /** Resets the calendar, the requests and the faults. The address and the account's secrets stay. */
    clear(): void {
      store = createEventStore(() => tellAll());
      pageSize.most = 2500;
      syncTokens.clear();
      pages.clear();
      channels.splice(0);
      listeners.splice(0);
      misbehaviours.splice(0);
      requests.splice(0);
      Object.assign(account, ordinary());
    },
    stop,
    async start() {
      server = await listen(answer, port);
    },
  };
}

const withFields = (query: URLSearchParams, answer: object): unknown => {
  const fields = query.get('fields');
  return fields === null ? answer : pick(answer, fields);
};

/** "If there are more than the specified number of attendees, only the participant is returned." */
const withAttendees =
  (most: string | null) =>
  (event: object): object => {
    const attendees: unknown = 'attendees' in event ? event.attendees : undefined;
    if (most === null || !Array.isArray(attendees) || attendees.length <= Number(most)) return event;
    return { ...event, attendees: attendees.filter(({ self }) => self === true) };
  };

const ordinary = () => ({
  role: 'owner',
  scope: 'https://www.googleapis.com/auth/calendar.events',
  expiresIn: 3599,
});

const secret = () => randomBytes(24).toString('base64url');

async function listen(answer: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>, port: number) {
  const server: Server = createServer((incoming, response) => {
    answer(incoming, response).catch((error) => response.destroy(error));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: string, type: string, headers: object = {}): void {
  response.writeHead(status, { ...(body === '' ? {} : { 'content-type': type }), ...headers }).end(body);
}

function parseBody(incoming: IncomingMessage, body: string): EventBody {
  if (!String(incoming.headers['content-type']).startsWith('application/json')) throw invalid('Not JSON.');
  try {
    return JSON.parse(body);
  } catch {
    throw new GoogleFault(400, { error: { code: 400, message: 'Parse Error', errors: [{ reason: 'parseError' }] } });
  }
}
