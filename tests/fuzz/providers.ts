import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localEgress } from '@mostrador/testing/context';
import type { Random } from '@mostrador/testing/random';
import ICAL from 'ical.js';
import { ChannelError } from '../../services/messaging/src/channels/channel-provider.ts';
import { renderTemplate } from '../../services/messaging/src/channels/render-template.ts';
import { createWhatsappAdapter } from '../../services/messaging/src/channels/whatsapp/adapter.ts';
import { readNotification } from '../../services/messaging/src/channels/whatsapp/payload.ts';
import { readTemplatePage } from '../../services/messaging/src/channels/whatsapp/templates.ts';
import { faultsOfValues } from '../../services/messaging/src/templates/faults-of-values.ts';
import { createCaldavProvider } from '../../services/scheduling/src/calendars/caldav/provider.ts';
import { CalendarError, type CalendarEvent } from '../../services/scheduling/src/calendars/calendar-provider.ts';
import { createGoogleProvider } from '../../services/scheduling/src/calendars/google/provider.ts';
import { createAccessTokens } from '../../services/scheduling/src/calendars/google/tokens.ts';
import { readIdentity, renderEvent, renderFeed } from '../../services/scheduling/src/calendars/icalendar.ts';
import { anyValue, disturbed, heavyJson, mutated, randomBytes } from './bytes.ts';
import type { Part } from './part.ts';

/** The deadline of a call. The adapters' own timeouts are much longer. */
const callMs = 1_500;
const lateMs = 3_000;
const atOnce = 4;

/** Runs the adapters against a provider with random answers, and renders and parses random iCalendar data. */
export const providers: Part = {
  name: 'providers',
  async run({ random, until, finding }) {
    const hostile = await startHostile(random);
    let tries = 0;
    const calls = callsOf(hostile.url);
    const client = async () => {
      while (Date.now() < until) {
        const { name, error: expected, call } = random.pick(calls);
        const startedAt = performance.now();
        const failure = await call(random).then(
          () => undefined,
          (error: unknown) => error,
        );
        tries += 1;
        if (failure !== undefined && !(failure instanceof expected)) finding(`${name} threw ${String(failure)}`);
        if (performance.now() - startedAt > lateMs) finding(`${name} did not end at its deadline`);
        for (const fault of calendarFaults(random)) finding(fault);
        notificationFault(random, finding);
        templateFault(random, finding);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    await hostile.close();
    return tries;
  },
};

const eventOf = (random: Random): CalendarEvent => ({
  uid: `${random.below(1_000_000)}@mostrador`,
  storeId: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  sequence: random.below(5),
  epoch: random.below(3),
  title: randomBytes(random, 60).toString(random.pick(['utf8', 'latin1', 'utf16le'])),
  notes: random.next() < 0.3 ? null : mutated(random, Buffer.from('Trazer\r\n o exame; amanhã, cedo')).toString(),
  startsAt: new Date(random.below(200) * 31_557_600_000 - 5e11),
  durationMinutes: 1 + random.below(1_440),
  createdAt: new Date(0),
  updatedAt: new Date(random.below(1_000_000) * 1_000),
  timeChangedAt: new Date(random.below(1_000_000) * 1_000),
});

function callsOf(url: string) {
  const signal = () => AbortSignal.timeout(callMs);
  const egress = localEgress();
  const caldav = createCaldavProvider({ egress, url: `${url}/calendar/`, username: 'u', password: 'p' });
  const google = () =>
    createGoogleProvider({
      settings: { calendar_id: 'primary', api_url: `${url}/`, token_url: `${url}/token` },
      credentials: { client_id: 'c', client_secret: 's', refresh_token: 'r' },
      tokens: createAccessTokens(),
      egress,
    });
  const whatsapp = createWhatsappAdapter({
    apiUrl: url,
    phoneNumberId: '1',
    businessAccountId: '2',
    accessToken: 't',
    egress,
  });
  const known = (uid: string) => ({ eventId: uid, href: `${url}/calendar/x.ics`, etag: '"1"' });
  const calendar = (name: string, open: () => ReturnType<typeof createCaldavProvider>) => [
    { name: `${name}: verify`, error: CalendarError, call: () => open().verify(signal()) },
    {
      name: `${name}: put`,
      error: CalendarError,
      call: (random: Random) => {
        const event = eventOf(random);
        return open().put(event, random.next() < 0.5 ? null : known(event.uid), signal());
      },
    },
    { name: `${name}: remove`, error: CalendarError, call: () => open().remove(known('x@mostrador'), signal()) },
  ];
  return [
    ...calendar('CalDAV', () => caldav),
    ...calendar('Google', google),
    {
      name: 'WhatsApp: send',
      error: ChannelError,
      call: (random: Random) =>
        whatsapp.send(
          { id: 'x', to: '5511987654321', text: eventOf(random).title, template: null, attempt: 1 },
          signal(),
        ),
    },
    {
      name: 'WhatsApp: templates',
      error: ChannelError,
      call: (random: Random) => whatsapp.readTemplates?.(random.next() < 0.5 ? null : 'after', signal()),
    },
  ] as { name: string; error: typeof CalendarError | typeof ChannelError; call(random: Random): Promise<unknown> }[];
}

const multistatus = `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response>
<d:href>/calendar/x.ics</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag><d:resourcetype><d:collection/><c:calendar/>
</d:resourcetype><c:calendar-data>BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:x@mostrador\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n
</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`;
const templates = {
  data: [
    {
      ...{ id: '1', name: 'ready', language: 'en', status: 'APPROVED', category: 'UTILITY', parameter_format: 'NAMED' },
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' },
        { type: 'BODY', text: 'Hi {{name}}' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'x', url: 'https://example.com/{{1}}' }] },
      ],
    },
  ],
  paging: { cursors: { before: 'a', after: 'b' }, next: 'https://example.com' },
};
const jsons = [
  { access_token: 'a', expires_in: 3600, token_type: 'Bearer', scope: 'https://www.googleapis.com/auth/calendar' },
  { id: 'abc', etag: '"1"', status: 'confirmed', iCalUID: 'x@mostrador', sequence: 1 },
  { kind: 'calendar#events', accessRole: 'owner', items: [] },
  { error: { code: 403, message: 'x', errors: [{ reason: 'rateLimitExceeded' }] } },
  templates,
  { messages: [{ id: 'wamid.x' }], contacts: [{ input: '55', wa_id: '55' }] },
  { error: { code: 131047, message: 'x', error_data: { details: 'y' }, error_subcode: 1 } },
];

/** Starts a server that answers each request with something random. */
async function startHostile(random: Random): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    response.on('error', () => {});
    answer(random, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(random: Random, response: ServerResponse): void {
  const { socket } = response;
  const status = random.pick([
    200, 200, 200, 201, 204, 207, 207, 301, 302, 400, 401, 403, 404, 409, 412, 429, 500, 503,
  ]);
  const json = () => JSON.stringify(disturbed(random, random.pick(jsons), 0.2));
  const body = random.pick([
    () => Buffer.from(json()),
    () => Buffer.from(json()),
    () => mutated(random, Buffer.from(json())),
    () => Buffer.from(multistatus),
    () => mutated(random, Buffer.from(multistatus)),
    () => randomBytes(random, 1_000),
    () => Buffer.alloc(0),
    () => Buffer.from(heavyJson(random, 200_000)),
    () => Buffer.from(`<a>${'<b>'.repeat(20_000)}`),
    () => Buffer.from('<!DOCTYPE a [<!ENTITY b "cccc"><!ENTITY d "&b;&b;&b;">]><a>&d;</a>'),
    () => Buffer.alloc(6_000_000, 'a'),
  ])();
  const headers: Record<string, string> = {
    'content-type': random.pick(['application/json', 'application/xml; charset=utf-8', 'text/html', 'x']),
    ...(random.next() < 0.2 && { etag: random.pick(['"1"', 'W/"1"', '', 'x'.repeat(5_000)]) }),
    ...(random.next() < 0.2 && {
      'retry-after': random.pick(['1', '-1', '1e9', 'tomorrow', 'Wed, 21 Oct 2999 07:28:00 GMT']),
    }),
    ...(status >= 300 && status < 400 && { location: random.pick(['http://127.0.0.1:9/', '/', ':', '//x']) }),
  };
  switch (random.below(12)) {
    case 0:
      return void socket?.destroy();
    case 1:
      // No answer.
      return;
    case 2:
      return void socket?.end(randomBytes(random, 200));
    case 3:
      response.writeHead(status, { ...headers, 'content-length': String(body.length + 100) });
      response.write(body);
      return void setTimeout(() => socket?.destroy(), 20);
    default:
      response.writeHead(status, headers);
      response.end(status === 204 ? undefined : body);
  }
}

/** A rendered event must parse with the same UID, and the parser must survive any text. */
function calendarFaults(random: Random): string[] {
  const event = eventOf(random);
  const faults: string[] = [];
  try {
    const text = renderEvent(event);
    new ICAL.Component(ICAL.parse(text));
    if (readIdentity(text)?.uid !== event.uid) faults.push('a rendered event parses with another UID');
    if (/[^\r]\n|\r[^\n]/.test(text)) faults.push('a line of an event does not end with CRLF');
    new ICAL.Component(ICAL.parse(renderFeed([event, eventOf(random)], { name: event.title })));
    readIdentity(mutated(random, Buffer.from(text)).toString());
    readIdentity(randomBytes(random, 300).toString('latin1'));
  } catch (error) {
    faults.push(`iCalendar: ${String(error)}`);
  }
  return faults;
}

/** A page of any form is read, and values of any form are checked and rendered. */
function templateFault(random: Random, finding: (what: string) => void): void {
  try {
    const page = readTemplatePage(random.next() < 0.5 ? anyValue(random, 5) : disturbed(random, templates, 0.2));
    for (const template of page?.templates ?? []) {
      const values = [anyValue(random, 4), { type: 'body', parameters: [anyValue(random, 3)] }];
      faultsOfValues(template, values);
      renderTemplate(template, values);
    }
  } catch (error) {
    finding(`templates threw ${String(error)}`);
  }
}

function notificationFault(random: Random, finding: (what: string) => void): void {
  try {
    readNotification(anyValue(random, 5), '1');
  } catch (error) {
    finding(`readNotification threw ${String(error)}`);
  }
}
