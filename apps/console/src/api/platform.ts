import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/platform.ts';
import { getLocale } from '../paraglide/runtime.js';
import { Failure, type Fault } from './failure.ts';

type Schemas = components['schemas'];
export type Session = Schemas['PersonSession'];
export type OpenSession = Schemas['OpenSession'];
export type Passkey = Schemas['Passkey'];
export type Credentials = Schemas['GetCredentialsResponse'];
export type ApiKey = Schemas['ApiKey'];
export type Scope = Schemas['Scope'];
export type Lead = Schemas['Lead'];
export type LeadStatus = Schemas['LeadStatus'];
export type Seller = Schemas['Seller'];
export type Message = Schemas['Message'];
export type MessageSource = Schemas['MessageSource'];
export type Conversation = Schemas['InboxConversation'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryLog = Schemas['WebhookDeliveryLog'];
export type EventType = Schemas['EventType'];
export type StoreEvent = Schemas['Event'];
export type LoginLink = Schemas['LoginLinkView'];
export type Person = Schemas['Person'];
export type PersonLink = Schemas['InvitePersonResponse'];
export type AuditEntry = Schemas['AuditEntry'];
export type StoreChannel = Schemas['StoreChannel'];
export type ConnectStoreChannel = Schemas['ConnectStoreChannel'];
export type StoreCalendar = Schemas['StoreCalendar'];
export type ConnectStoreCalendar = Schemas['ConnectCalendar'];
export type WaitingItem = Schemas['WaitingItem'];
export type WaitingList = Schemas['WaitingList'];
export type WaitingChange = Schemas['WaitingChange'];
export type GiveUpWaiting = Schemas['GiveUpWaiting'];
export type LeadSort = Schemas['LeadSort'];
export type Appointment = Schemas['Appointment'];
export type Followup = Schemas['Followup'];
export type Store = Schemas['Store'];
export type StoreSettings = Schemas['StoreOptions'];
export type StoreSettingsChange = Schemas['UpdateStoreOptionsRequest'];
export type Explanation = Schemas['Explanation'];
export type AskedEffects = Schemas['AskedEffects'];
export type StoreAi = Schemas['StoreAi'];
export type ModelConnection = Schemas['ModelConnection'];
export type ConnectModel = Schemas['ConnectModel'];
export type MessageTemplate = Schemas['MessageTemplate'];
export type Template = Schemas['Template'];

/** Calls what only people do. The browser adds the cookie of the session. */
export const platform = createClient<paths>({ baseUrl: '/platform/v1' });
platform.use({ onRequest: ({ request }) => request.headers.set('accept-language', getLocale()) });

type Problem = { code?: string; detail?: string; title?: string; errors?: Fault[]; alternatives?: string[] };
type Outcome<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of a call's answer. Throws a `Failure` for every other outcome. */
export async function dataOf<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: Error) => {
    throw new Failure('offline', 0, cause.message);
  });
  if (response.ok) return data as Data;
  const { code = 'unknown', detail, title, errors, alternatives } = (error ?? {}) as Problem;
  throw new Failure(code, response.status, detail ?? title ?? response.statusText, {
    ...(errors && { faults: errors }),
    ...(alternatives && { alternatives }),
  });
}

/** A resource, and the `ETag` of the version that was read. */
export type Versioned<Data> = { readonly data: Data; readonly etag: string };

/** Reads a resource with its version, so that a change can say in `If-Match` what it is made from. */
export async function versionedOf<Data>(call: Promise<Outcome<Data>>): Promise<Versioned<Data>> {
  const data = await dataOf(call);
  return { data, etag: (await call).response.headers.get('etag') ?? '*' };
}
