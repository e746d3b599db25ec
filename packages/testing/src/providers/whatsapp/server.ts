import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bucket, createBucket, type Refusal, readSendRequest, refusalAnswer, type SendRequest } from './rules.ts';
import {
  type CustomerMessage,
  inboundPayload,
  newWamid,
  postWebhook,
  type StatusName,
  statusPayload,
} from './webhooks.ts';

/** What the stand-in does with one request; what is left out is as WhatsApp does it on a good day. */
export type Behaviour = {
  /** Refuses, and takes nothing. */
  readonly refuse?: Refusal;
  /** Ends the connection at once, and takes nothing. */
  readonly cut?: boolean;
  /** Takes the message, and then: never answers, ends the connection, or answers this. */
  readonly answer?: 'hang' | 'reset' | { readonly status: number; readonly body: string };
  readonly delayMs?: number;
  /** What it reports of the message afterwards, in this order. */
  readonly statuses?: readonly StatusName[];
  /** The reports go out before the answer does. */
  readonly statusesFirst?: boolean;
  /** How often each report goes out. */
  readonly repeat?: number;
  /** The code of a report that says `failed`. */
  readonly failCode?: number;
};

export type WhatsappSettings = {
  phoneNumberId: string;
  phone: string;
  accessToken: string;
  appSecret: string;
  /** Where reports and customers' messages are posted; null: nowhere. */
  webhookUrl: string | null;
  /** What it reports of every message, unless its behaviour says. */
  statuses: readonly StatusName[];
  /** Our ids come back with the reports. */
  echoesCallbackData: boolean;
  windowHours: number;
  pairBurst: number;
  pairIntervalMs: number;
  numberRate: number;
  /** The id of a customer, where it differs from the number that is written to. */
  waIds: Record<string, string>;
};

/** A message that was taken. */
export type Taken = SendRequest & { readonly id: string; readonly atMs: number };

export type WhatsappServer = {
  /** As `--api-url` takes it. */
  readonly apiUrl: string;
  readonly settings: WhatsappSettings;
  /** What was taken, in order: the judge of "sent once". */
  readonly log: readonly Taken[];
  /** What was refused, in order. */
  readonly refusals: readonly (Refusal & { readonly to: string })[];
  /** Requests that have come in, whatever became of them. */
  requests(): number;
  /** What it does with the next requests, one each. */
  next(...behaviours: Behaviour[]): void;
  /** What it does with every request that `next` says nothing about. */
  always(behaviour: Behaviour): void;
  /** Opens the customer's window, and posts the messages as one webhook when there is an address. Returns its status. */
  customerWrites(...messages: CustomerMessage[]): Promise<number>;
  /** Posts a report about a message that was taken, or about any id. */
  report(message: Pick<Taken, 'id' | 'to' | 'callbackData'>, status: StatusName, code?: number): Promise<number>;
  /** Resolves when every report has been posted. */
  reported(): Promise<void>;
  close(): Promise<void>;
};

const defaults: WhatsappSettings = {
  phoneNumberId: '106540352242922',
  phone: '15550783881',
  accessToken: 'EAAtoken',
  appSecret: 'app-secret',
  webhookUrl: null,
  statuses: ['sent', 'delivered', 'read'],
  echoesCallbackData: true,
  windowHours: 24,
  pairBurst: 45,
  pairIntervalMs: 6_000,
  numberRate: 80,
  waIds: {},
};

/**
 * Stands in for the WhatsApp Cloud API. Tests tell it to misbehave by its methods, or, from another process, by
 * `POST /control/next|always|settings|customer` and `GET /control/log|refusals`.
 */
export async function startWhatsappServer(given: Partial<WhatsappSettings> = {}): Promise<WhatsappServer> {
  const settings: WhatsappSettings = { ...defaults, ...given };
  const log: Taken[] = [];
  const refusals: (Refusal & { to: string })[] = [];
  const planned: Behaviour[] = [];
  let everyTime: Behaviour = {};
  let requests = 0;
  const wroteAtMs = new Map<string, number>();
  const pairs = new Map<string, Bucket>();
  let number: Bucket | undefined;
  const posting = new Set<Promise<unknown>>();

  const post = (payload: unknown): Promise<number> => {
    if (settings.webhookUrl === null) return Promise.resolve(0);
    const posted = postWebhook(settings.webhookUrl, settings.appSecret, payload);
    posting.add(posted);
    return posted.finally(() => posting.delete(posted));
  };
  const report: WhatsappServer['report'] = ({ id, to, callbackData }, status, code) => {
    const echoed = settings.echoesCallbackData ? callbackData : null;
    return post(
      statusPayload(settings, { id, recipient: waIdOf(to), status, callbackData: echoed, ...(code && { code }) }),
    );
  };
  const waIdOf = (to: string) => settings.waIds[to] ?? to;

  /** Refused by the rules, whatever it was told to do. */
  const ruleOf = ({ to, type }: SendRequest): Refusal | undefined => {
    const nowMs = Date.now();
    const waId = waIdOf(to);
    const wrote = wroteAtMs.get(waId);
    if (type === 'text' && (wrote === undefined || nowMs - wrote > settings.windowHours * 3_600_000))
      return { code: 131047 };
    number ??= createBucket({ burst: settings.numberRate, intervalMs: 1000 / settings.numberRate });
    if (!number.take(nowMs)) return { code: 130429 };
    const pair = pairs.get(waId) ?? createBucket({ burst: settings.pairBurst, intervalMs: settings.pairIntervalMs });
    pairs.set(waId, pair);
    return pair.take(nowMs) ? undefined : { code: 131056 };
  };

  const reportAll = async (taken: Taken, { statuses = settings.statuses, repeat = 1, failCode }: Behaviour) => {
    for (const status of statuses) {
      for (let time = 0; time < repeat; time += 1) await report(taken, status, failCode);
    }
  };

  const send = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const body = await json(request).catch(() => undefined);
    const refuse = (refusal: Refusal, to = 'nobody') => {
      refusals.push({ ...refusal, to });
      const { status, headers, body } = refusalAnswer(refusal, to);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    };
    if (request.headers.authorization !== `Bearer ${settings.accessToken}`) return refuse({ code: 190 });
    if (request.url?.split('/').at(-2) !== settings.phoneNumberId) return refuse({ code: 100, subcode: 33 });
    const wanted = readSendRequest(body);
    if ('code' in wanted) return refuse(wanted);

    const behaviour = planned.shift() ?? everyTime;
    if (behaviour.cut) return void request.socket.destroy();
    const refusal = behaviour.refuse ?? ruleOf(wanted);
    if (refusal) return refuse(refusal, wanted.to);
    const taken: Taken = { ...wanted, id: newWamid(), atMs: Date.now() };
    log.push(taken);
    if (behaviour.statusesFirst) await reportAll(taken, behaviour);
    else setImmediate(() => void reportAll(taken, behaviour));
    if (behaviour.delayMs) await pause(behaviour.delayMs);
    const { answer } = behaviour;
    if (answer === 'hang') return;
    if (answer === 'reset') return void request.socket.destroy();
    if (answer) return void response.writeHead(answer.status, { 'content-type': 'text/html' }).end(answer.body);
    const accepted = {
      messaging_product: 'whatsapp',
      contacts: [{ input: taken.to, wa_id: waIdOf(taken.to) }],
      messages: [{ id: taken.id, message_status: 'accepted' }],
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(accepted));
  };

  const controls: Record<string, (body: never) => unknown> = {
    'POST /control/next': (behaviours: Behaviour[]) => planned.push(...behaviours),
    'POST /control/always': (behaviour: Behaviour) => {
      everyTime = behaviour;
    },
    'POST /control/settings': (changes: Partial<WhatsappSettings>) => void Object.assign(settings, changes),
    'POST /control/customer': async (messages: CustomerMessage[]) => ({
      status: await stand.customerWrites(...messages),
    }),
    'GET /control/log': () => log,
    'GET /control/refusals': () => refusals,
  };

  const server = createServer(async (request, response) => {
    const control = controls[`${request.method} ${request.url}`];
    if (control) {
      const given = request.method === 'POST' ? await json(request) : undefined;
      const result = (await control(given as never)) ?? null;
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    }
    if (request.method === 'POST' && request.url?.endsWith('/messages')) return await send(request, response);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const stand: WhatsappServer = {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v23.0`,
    settings,
    log,
    refusals,
    requests: () => requests,
    next: (...behaviours) => void planned.push(...behaviours),
    always: (behaviour) => {
      everyTime = behaviour;
    },
    customerWrites(...messages) {
      for (const { from } of messages) wroteAtMs.set(from, Date.now());
      return post(inboundPayload(settings, messages));
    },
    report,
    async reported() {
      while (posting.size > 0) await Promise.allSettled(posting);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stand;
}
