import type { WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { askAsPage, signInAs } from '../people.ts';
import { admin, daysAhead, eventually, type Json, newStore, request } from '../platform.ts';
import { invitePerson, type TestStore } from './browser.ts';
import { connectSandbox } from './conversations.ts';

/** A text that would run as a script wherever it became markup, and that says which field it is. */
export const hostile = (field: string) => `${field}"'><img src=x onerror=__hit=1>`;
const uri = (field: string) => `javascript:__hit=1//${field}`;

/** The fields of a store that people, customers and programs write, and that a screen shows. */
export const shownFields = [
  'store',
  'person',
  'colleague',
  'seller',
  'lead',
  'tag',
  'metadata',
  'external',
  'inbound',
  'outbound',
  'unsent',
  'agent',
  'document',
  'content',
  'appointment',
  'notes',
  'followup',
  'cancelled',
  'key',
  'passkey',
  'account',
  'endpoint',
  'answer',
] as const;
/** Of a browser only its name is shown. */
type Field = (typeof shownFields)[number] | 'browser';

type Outside = {
  /** Where its webhooks go. It answers with the field `answer`. */
  readonly receiver: WebhookReceiver;
  /** A calendar that takes every account. */
  readonly calendarUrl: string;
};

/** A store whose every text is hostile, but for the passkey of its owner. */
export async function newHostileStore({ receiver, calendarUrl }: Outside) {
  const text = (field: Field) => hostile(field);
  const store: TestStore = await newStore();
  const cookie = await signInAs(store.id, 'owner');
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await request(method, path, { key: store.key, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const asOwner = async (method: string, path: string, body: object): Promise<Json> => {
    const answer = await askAsPage(method, path, { cookie, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  await asOwner('PATCH', '/settings', { name: text('store') });
  await invitePerson(store, 'manager', text('colleague'));
  const owner = await invitePerson(store, 'owner', text('person'));
  const { login_url } = await admin(['user', 'login-link', '--email', owner.email]);
  const opened = await askAsPage('POST', '/session', {
    body: { token: login_url.split('#')[1] },
    headers: { 'user-agent': text('browser') },
  });
  if (opened.status !== 201) throw new Error(opened.text);
  await asOwner('POST', '/keys', { name: text('key'), scopes: ['leads:read'], expires_at: null });
  const endpoint = await call('POST', '/webhooks/endpoints', { url: receiver.url, description: text('endpoint') });
  receiver.trust(endpoint.secret);

  const sandbox = await connectSandbox(store);
  const customer = await sandbox.newCustomer(text('lead'), text('inbound'));
  const { id: sellerId } = await call('POST', '/sellers', { name: text('seller'), whatsapp_id: '5511900000077' });
  const metadata = { [text('metadata').slice(0, 40)]: text('metadata') };
  await call('PATCH', `/leads/${customer.id}`, {
    seller_id: sellerId,
    tags: [text('tag')],
    external_id: uri('external'),
    metadata,
  });
  await sandbox.send(customer.id, text('outbound'));
  await sandbox.send(await sandbox.newLead(text('lead'), '12015550121'), text('unsent'));
  const visit = { title: text('appointment'), notes: text('notes'), lead_id: customer.id, metadata };
  await call('POST', '/appointments', { ...visit, scheduled_at: daysAhead(1).toISOString() });
  const plan = { lead_id: customer.id, delay_minutes: 600, cancel_on_reply: false, cancel_on_appointment: false };
  await call('POST', '/followups/scheduled', { ...plan, message: text('followup') });
  const cancelled = await call('POST', '/followups/scheduled', { ...plan, message: text('cancelled') });
  await call('DELETE', `/followups/scheduled/${cancelled.id}`);
  const groups = [{ group_index: 0, conditions: [{ condition_type: 'lead_status', operator: '=', value: 'pending' }] }];
  await asOwner('POST', '/agents', { name: text('agent'), priority: 1, condition_groups: groups });
  const file = { name: 'a.md', title: text('document'), content: text('content'), locale: 'pt-BR' };
  await asOwner('POST', '/knowledge/documents', file);
  const account = { username: text('account'), secrets: { password: 'any' } };
  await asOwner('PUT', '/calendar', { provider: 'caldav', url: calendarUrl, ...account });
  const deliveries = `/webhooks/endpoints/${endpoint.id}/deliveries`;
  const { data } = await eventually(
    () => call('GET', `${deliveries}?limit=50`),
    ({ data }) => data.some(({ attempts }: Json) => attempts > 0),
  );
  const { id: answered } = data.find(({ attempts }: Json) => attempts > 0);
  return {
    ...{ store, email: owner.email, leadId: customer.id },
    /** A delivery that the receiver has answered. */
    deliveryPath: `/integrations/webhooks/${endpoint.id}?delivery=${answered}`,
    sandboxUrl: sandbox.url,
  };
}
