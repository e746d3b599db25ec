import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Call,
  type Customer,
  callPayload,
  contents,
  type Entry,
  entriesPayload,
  preferencePayload,
} from './entries.ts';
import { numberAnswer, type StandInNumber, soundNumber } from './numbers.ts';
import { type Bucket, createBucket, type Refusal, readSendRequest, refusalAnswer, type SendRequest } from './rules.ts';
import { type StandInTemplate, templatePage, templateRefusal } from './templates.ts';
import {
  type CustomerMessage,
  inboundPayload,
  type KnownCustomer,
  newWamid,
  postWebhook,
  type StatusName,
  statusPayload,
} from './webhooks.ts';

/** The kinds that a customer sends. An edit, a reaction or a notice opens no window, and a call does. */
const opensWindow: ReadonlySet<string> = new Set([
  ...['text', 'image', 'audio', 'video', 'document', 'sticker', 'location', 'contacts'],
  ...['interactive', 'button', 'order', 'unsupported', 'ephemeral'],
]);

/** How the stand-in handles one request. Without a member, it behaves like WhatsApp without faults. */
export type Behaviour = {
  /** Refuses the message. */
  readonly refuse?: Refusal;
  /** Closes the connection without accepting the message. */
  readonly cut?: boolean;
  /** Accepts the message, then never answers, closes the connection, or sends this answer. */
  readonly answer?: 'hang' | 'reset' | { readonly status: number; readonly body: string };
  readonly delayMs?: number;
  /** The status updates that it posts for the message, in this order. */
  readonly statuses?: readonly StatusName[];
  /** Posts the status updates before the answer. */
  readonly statusesFirst?: boolean;
  /** How often it posts each status update. */
  readonly repeat?: number;
  /** The error code of a `failed` status update. */
  readonly failCode?: number;
};

export type WhatsappSettings = {
  phoneNumberId: string;
  phone: string;
  /** Further numbers of the same account. Webhooks that the stand-in posts itself name only the first number. */
  moreNumberIds: readonly string[];
  accessToken: string;
  appSecret: string;
  /** The URL for webhooks. Null: it posts none. */
  webhookUrl: string | null;
  /** The status updates for every message, unless its behaviour has others. */
  statuses: readonly StatusName[];
  /** Status updates contain the sender's id (`biz_opaque_callback_data`). */
  echoesCallbackData: boolean;
  windowHours: number;
  pairBurst: number;
  pairIntervalMs: number;
  numberRate: number;
  /** A fault of the whole account. Every message is refused for it, or fails later if `failsLater`. Null: none. */
  fault: (Refusal & { readonly failsLater?: boolean }) | null;
  /** The WhatsApp Business Account of the number. */
  businessAccountId: string;
  /** What it says of every number of the account. */
  number: StandInNumber;
  /** How it handles the next questions about a number, one each. The others are answered. */
  numberFaults: (Refusal | { readonly status: number; readonly body: string })[];
  /** The templates of the account. Null: it sends any template, and shows none. */
  templates: readonly StandInTemplate[] | null;
  /** How it handles the request for a page of templates, counted from 1. Any other page is answered. */
  templateFaults: Record<number, Refusal | 'hang' | { readonly status: number; readonly body: string }>;
  /** The templates of the category marketing: a customer who stopped such messages gets none of them. */
  marketingTemplates: readonly string[];
  /** By phone number: the `wa_id` of a customer, where the two differ. */
  waIds: Record<string, string>;
};

/** An accepted message, and the number that sent it. */
export type Taken = SendRequest & { readonly id: string; readonly phoneNumberId: string; readonly atMs: number };

export type WhatsappServer = {
  /** The value for `--api-url`. */
  readonly apiUrl: string;
  readonly settings: WhatsappSettings;
  /** The accepted messages, in order. Tests check here that a message was sent once. */
  readonly log: readonly Taken[];
  /** The refused messages, in order. */
  readonly refusals: readonly (Refusal & { readonly to: string })[];
  /** The number of send requests, with any result. */
  requests(): number;
  /** The number of questions for only the health of a number. */
  healthRequests(): number;
  /** The number of other questions about a number. */
  numberRequests(): number;
  /** The number of requests for a page of templates. */
  templateRequests(): number;
  /** Sets the behaviour for the next requests, one each. */
  next(...behaviours: Behaviour[]): void;
  /** Sets the behaviour for every request without one from `next`. */
  always(behaviour: Behaviour): void;
  /** Opens the customers' reply windows and posts the messages as one webhook. Returns its status; 0 without a URL. */
  customerWrites(...messages: CustomerMessage[]): Promise<number>;
  /** Posts what a customer does as one webhook. Only what the customer sends opens the reply window. Returns its status. */
  customerDoes(customer: Customer, ...entries: Entry[]): Promise<number>;
  /** A customer calls the store, which opens the reply window from then on. Returns the status of the webhook. */
  customerCalls(customer: Customer, call?: Pick<Call, 'at'>): Promise<number>;
  /** A customer stops or resumes marketing messages in WhatsApp. */
  customerPrefers(customer: Customer, value: 'stop' | 'resume', at?: Date): Promise<number>;
  /** A customer gets another number or user id: nothing reaches the earlier ones any more. */
  customerMoves(from: Customer, to: Customer, entry?: Omit<Entry, 'content'>): Promise<number>;
  /** Posts any webhook, signed. */
  posts(payload: unknown): Promise<number>;
  /** Posts a status update for an accepted message or any other id. */
  report(message: Pick<Taken, 'id' | 'to' | 'callbackData'>, status: StatusName, code?: number): Promise<number>;
  /** Resolves when no webhook is being posted. */
  reported(): Promise<void>;
  close(): Promise<void>;
};

const defaults: WhatsappSettings = {
  phoneNumberId: '106540352242922',
  phone: '15550783881',
  moreNumberIds: [],
  accessToken: 'EAAtoken',
  appSecret: 'app-secret',
  webhookUrl: null,
  statuses: ['sent', 'delivered', 'read'],
  echoesCallbackData: true,
  windowHours: 24,
  pairBurst: 45,
  pairIntervalMs: 6_000,
  numberRate: 80,
  fault: null,
  businessAccountId: '102290129340398',
  number: soundNumber,
  numberFaults: [],
  templates: null,
  templateFaults: {},
  marketingTemplates: [],
  waIds: {},
};

/**
 * Starts a stand-in for the WhatsApp Cloud API. Tests control it by its methods, or from another process by `POST
 * /control/next|always|settings|customer|does|calls|prefers|moves` and `GET /control/log|refusals`.
 */
export async function startWhatsappServer(given: Partial<WhatsappSettings> = {}): Promise<WhatsappServer> {
  const settings: WhatsappSettings = { ...defaults, ...given };
  const log: Taken[] = [];
  const refusals: (Refusal & { to: string })[] = [];
  const planned: Behaviour[] = [];
  let everyTime: Behaviour = {};
  let requests = 0;
  let healthRequests = 0;
  let numberRequests = 0;
  let templateRequests = 0;
  const openedAtMs = new Map<string, number>();
  const stopped = new Set<string>();
  const gone = new Set<string>();
  /** The customers who have told both their ids, by each of the two. */
  const known = new Map<string, KnownCustomer>();
  const pairs = new Map<string, Bucket>();
  const numbers = new Map<string, Bucket>();
  const posting = new Set<Promise<unknown>>();

  const post = (payload: unknown): Promise<number> => {
    if (settings.webhookUrl === null) return Promise.resolve(0);
    const posted = postWebhook(settings.webhookUrl, settings.appSecret, payload);
    posting.add(posted);
    return posted.finally(() => posting.delete(posted));
  };
  const report: WhatsappServer['report'] = ({ id, to, callbackData }, status, code) => {
    const about = { status, callbackData: settings.echoesCallbackData ? callbackData : null, ...(code && { code }) };
    const recipient = waIdOf(to);
    const customer = known.get(recipient);
    return post(statusPayload(settings, { id, recipient, ...(customer && { customer }), ...about }));
  };
  /** A customer has told these ids. Those that it had with others are no longer its own. */
  const meet = ({ phone, userId, name, username }: Customer) => {
    if (!phone || !userId) return;
    forget(phone, userId);
    const customer = { phone, userId, ...(name && { name }), ...(username && { username }) };
    for (const id of [phone, userId]) known.set(id, customer);
  };
  const forget = (...ids: readonly (string | undefined)[]) => {
    const both = ids.flatMap((id) => known.get(id ?? '') ?? []);
    for (const { phone, userId } of both) for (const id of [phone, userId]) known.delete(id);
  };
  const waIdOf = (to: string) => settings.waIds[to] ?? to;
  const isNumber = (to: string) => /^[0-9]+$/.test(to);

  /** The refusal by WhatsApp's own rules, if there is one. */
  const ruleOf = (phoneNumberId: string, wanted: SendRequest): Refusal | undefined => {
    const { to, type, template, language, components } = wanted;
    const nowMs = Date.now();
    const waId = waIdOf(to);
    if (gone.has(waId)) return { code: 131026 };
    if (template !== null && settings.marketingTemplates.includes(template) && stopped.has(waId))
      return { code: 131050 };
    if (template !== null && settings.templates) {
      const refusal = templateRefusal(settings.templates, { name: template, language, components });
      if (refusal) return refusal;
    }
    const opened = openedAtMs.get(waId);
    if (type === 'text' && (opened === undefined || nowMs - opened > settings.windowHours * 3_600_000))
      return { code: 131047 };
    const { numberRate } = settings;
    const number = numbers.get(phoneNumberId) ?? createBucket({ burst: numberRate, intervalMs: 1000 / numberRate });
    numbers.set(phoneNumberId, number);
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

  const answerWith = (response: ServerResponse, refusal: Refusal, to: string) => {
    const { status, headers, body } = refusalAnswer(refusal, to);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
  /** The refusal of any request about a number. */
  const refusalOf = ({ headers }: IncomingMessage, phoneNumberId: string): Refusal | undefined => {
    if (headers.authorization !== `Bearer ${settings.accessToken}`) return { code: 190 };
    const isKnown = phoneNumberId === settings.phoneNumberId || settings.moreNumberIds.includes(phoneNumberId);
    return isKnown ? undefined : { code: 100, subcode: 33 };
  };

  /** What `GET /{phone-number-id}` says. */
  const showNumber = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://stand-in');
    const asksOnlyHealth = url.searchParams.get('fields') === 'health_status';
    if (asksOnlyHealth) healthRequests += 1;
    else numberRequests += 1;
    const fault = asksOnlyHealth ? undefined : settings.numberFaults.shift();
    if (fault && 'body' in fault) {
      return void response.writeHead(fault.status, { 'content-type': 'text/html' }).end(fault.body);
    }
    const refusal = fault ?? refusalOf(request, url.pathname.split('/').at(-1) ?? '');
    if (refusal) return answerWith(response, refusal, 'unknown');
    const about = { account: settings.businessAccountId, isBlocked: settings.fault !== null };
    const answer = numberAnswer(settings.number, url, about);
    if ('refusal' in answer) return answerWith(response, answer.refusal as Refusal, 'unknown');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };

  /** What `GET /{business account}/message_templates` says. */
  const showTemplates = (request: IncomingMessage, response: ServerResponse) => {
    templateRequests += 1;
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const fault = settings.templateFaults[templateRequests];
    if (fault === 'hang') return;
    if (fault && 'body' in fault) {
      return void response.writeHead(fault.status, { 'content-type': 'text/html' }).end(fault.body);
    }
    if (fault) return answerWith(response, fault, 'unknown');
    if (request.headers.authorization !== `Bearer ${settings.accessToken}`) {
      return answerWith(response, { code: 190 }, 'unknown');
    }
    if (url.pathname.split('/').at(-2) !== settings.businessAccountId) {
      return answerWith(response, { code: 100, subcode: 33 }, 'unknown');
    }
    const page = templatePage(settings.templates ?? [], url);
    if ('refusal' in page) return answerWith(response, page.refusal as Refusal, 'unknown');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  };

  const send = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const body = await json(request).catch(() => undefined);
    const refuse = (refusal: Refusal, to = 'nobody') => {
      refusals.push({ ...refusal, to });
      answerWith(response, refusal, to);
    };
    const phoneNumberId = request.url?.split('/').at(-2) ?? '';
    const refused = refusalOf(request, phoneNumberId);
    if (refused) return refuse(refused);
    const wanted = readSendRequest(body);
    if ('code' in wanted) return refuse(wanted);

    const { fault } = settings;
    if (fault && !fault.failsLater) return refuse(fault, wanted.to);
    const failing: Behaviour = fault ? { statuses: ['failed'], failCode: fault.code } : {};
    const behaviour = { ...(planned.shift() ?? everyTime), ...failing };
    if (behaviour.cut) return void request.socket.destroy();
    const refusal = behaviour.refuse ?? ruleOf(phoneNumberId, wanted);
    if (refusal) return refuse(refusal, wanted.to);
    const taken: Taken = { ...wanted, id: newWamid(), phoneNumberId, atMs: Date.now() };
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
      contacts: [{ input: taken.to, ...(isNumber(taken.to) ? { wa_id: waIdOf(taken.to) } : { user_id: taken.to }) }],
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
    'POST /control/does': async ({ customer, entries }: { customer: Customer; entries: Entry[] }) => ({
      status: await stand.customerDoes(customer, ...entries),
    }),
    'POST /control/calls': async (customer: Customer) => ({ status: await stand.customerCalls(customer) }),
    'POST /control/prefers': async ({ customer, value }: { customer: Customer; value: 'stop' | 'resume' }) => ({
      status: await stand.customerPrefers(customer, value),
    }),
    'POST /control/moves': async ({ from, to }: { from: Customer; to: Customer }) => ({
      status: await stand.customerMoves(from, to),
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
    if (request.method === 'GET' && /^\/v[\d.]+\/\d+(\?|$)/.test(request.url ?? '')) {
      return showNumber(request, response);
    }
    if (request.method === 'GET' && request.url?.includes('/message_templates?'))
      return showTemplates(request, response);
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
    healthRequests: () => healthRequests,
    numberRequests: () => numberRequests,
    templateRequests: () => templateRequests,
    next: (...behaviours) => void planned.push(...behaviours),
    always: (behaviour) => {
      everyTime = behaviour;
    },
    customerWrites(...messages) {
      for (const { from } of messages) openedAtMs.set(from, Date.now());
      return post(inboundPayload(settings, messages));
    },
    customerDoes(customer, ...entries) {
      meet(customer);
      const sends = entries.some(
        ({ content }) => opensWindow.has(content.type ?? '') && content.group_id === undefined,
      );
      for (const id of [customer.phone, customer.userId]) if (id && sends) openedAtMs.set(id, Date.now());
      return post(entriesPayload(settings, customer, entries));
    },
    customerCalls(customer, { at = new Date() } = {}) {
      meet(customer);
      for (const id of [customer.phone, customer.userId]) {
        if (id) openedAtMs.set(id, Math.max(openedAtMs.get(id) ?? 0, at.getTime()));
      }
      return post(callPayload(settings, customer, { at }));
    },
    customerPrefers(customer, value, at) {
      meet(customer);
      if (customer.phone && value === 'stop') stopped.add(customer.phone);
      if (customer.phone && value === 'resume') stopped.delete(customer.phone);
      return post(preferencePayload(settings, customer, value, at));
    },
    customerMoves(from, { phone, userId }, entry) {
      for (const id of [from.phone, from.userId]) if (id) gone.add(id);
      forget(from.phone, from.userId);
      meet({ phone, userId });
      if (phone) gone.delete(phone);
      const openedAt = openedAtMs.get(from.userId ?? '');
      if (userId && openedAt !== undefined) openedAtMs.set(userId, openedAt);
      const ids = { ...(userId && { userId }), ...(from.userId && { previousUserId: from.userId }) };
      const content = phone
        ? contents.changedNumber(phone, ids)
        : contents.changedUserId(from.userId ?? '', userId ?? '');
      return post(entriesPayload(settings, from, [{ ...entry, content }]));
    },
    posts: post,
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
