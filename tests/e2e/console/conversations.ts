import type { Page } from 'playwright-core';
import { admin, eventually, type Json, request } from '../platform.ts';
import type { TestStore } from './browser.ts';

let phones = 5511970000000;
const newPhone = () => String(++phones);

/** A store's sandbox, on which customers write. `replyWindow` is in minutes. */
export async function connectSandbox(store: TestStore, replyWindow?: number) {
  const window = replyWindow === undefined ? [] : ['--reply-window', String(replyWindow)];
  const connected = await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox', ...window]);
  const url: string = connected.sandbox_url;

  const get = async (path: string): Promise<Json> => (await request('GET', path, { key: store.key })).body;
  const leadOf = async (phone: string): Promise<string> => {
    const { data } = await eventually(
      () => get(`/leads?customer_phone=${phone}`),
      (answer) => answer.data.length === 1,
    );
    return data[0].id;
  };
  const write = async (name: string, phone: string, text: string, content?: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name, customer_phone: phone, text, content });
    // A busy machine may refuse it with 503: then nothing was done.
    const { status } = await eventually(
      () => fetch(`${url}/messages`, { method: 'POST', headers, body }),
      (answer) => answer.status !== 503,
    );
    if (status !== 200) throw new Error(`the sandbox answered ${status}`);
  };
  return {
    url,
    /** A customer writes: the id of the lead, and the phone. */
    async newCustomer(name: string, text: string) {
      const phone = newPhone();
      await write(name, phone, text);
      return { id: await leadOf(phone), phone, name };
    },
    write,
    /** A lead who has not written. Some phones provoke an outcome. */
    async newLead(name: string, phone = newPhone()): Promise<string> {
      return (await request('POST', '/leads', { key: store.key, body: { name, customer_phone: phone } })).body.id;
    },
    send: async (leadId: string, message: string): Promise<Json> =>
      (await request('POST', `/leads/${leadId}/messages`, { key: store.key, body: { message } })).body,
    lead: (leadId: string) => get(`/leads/${leadId}`),
    /** The lead's messages, the oldest first. */
    messages: async (leadId: string): Promise<Json[]> =>
      (await get(`/leads/${leadId}/messages?limit=200`)).data.toReversed(),
  };
}

/** The row of a lead in the list of conversations. */
export const rowOf = (page: Page, leadId: string) => page.locator(`[data-lead="${leadId}"]`);
/** A message in the open thread. */
export const messageOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });
export const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to / });
/** Writes a message into the open thread and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.keyboard.press('Enter');
}
/** The texts of the messages in view, from the top. */
export const thread = (page: Page) =>
  page.getByRole('article').evaluateAll((all) => all.map((one) => (one.querySelector('p')?.textContent ?? '').trim()));
