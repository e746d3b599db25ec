import { randomUUID } from 'node:crypto';
import {
  changeSandboxMessage,
  connectChannel,
  connectModel,
  createAgent,
  type RequestOf,
  readSandboxConversation,
  receiveSandboxMessage,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { eventStream } from '@mostrador/contracts/events';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPlatform } from '../chaos/exact/stage.ts';

// A customer deletes a message for everyone, and someone then searches the whole database, and what NATS keeps, for it.

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform({
    service: 'assistant',
    processes: ['crm', 'messaging', 'scheduling', 'events', 'assistant', 'workflows'],
  });
});
afterAll(() => platform?.stop());

/** Each table that has the text in any column, also as bytes. A partition of a day counts as its table. */
async function tablesWith(text: string): Promise<string[]> {
  const { adminSql } = platform.database;
  const tables = await adminSql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  expect(tables.length).toBeGreaterThan(80);
  const bytes = Buffer.from(text).toString('hex');
  const found: string[] = [];
  for (const { schema, name } of tables) {
    const rows = await adminSql`
      select from ${adminSql(schema)}.${adminSql(name)} as one
      where one::text like ${`%${text}%`} or one::text like ${`%${bytes}%`} limit 1`;
    if (rows.length > 0) found.push(`${schema}.${name.replace(/_[0-9]{8}$/, '')}`);
  }
  const manager = await platform.nats.nats.jetstreamManager();
  const { state } = await manager.streams.info(eventStream.name);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const kept = await manager.streams.getMessage(eventStream.name, { seq }).catch(() => null);
    if (kept && Buffer.from(kept.data).includes(text)) found.push(`NATS ${kept.subject}`);
  }
  return [...new Set(found)].sort();
}

type Said = Omit<RequestOf<typeof receiveSandboxMessage>['body'], 'token' | 'customer_phone' | 'name'>;

/** The members of a message in which a customer's text can stand. */
const kinds: Readonly<Record<string, (text: string) => Said>> = {
  text: (text) => ({ text }),
  caption: (text) => ({ type: 'document', text, media: { filename: `${text}.pdf` } }),
  location: (text) => ({ type: 'location', content: { latitude: -23.5, longitude: -46.6, name: text } }),
  contact: (text) => ({
    type: 'contacts',
    content: { contacts: [{ name: text, organization: null, phones: [], emails: [] }] },
  }),
  choice: (text) => ({
    type: 'interactive_reply',
    content: { kind: 'list', id: text, title: text, description: text },
  }),
  form: (text) => ({ type: 'interactive_reply', content: { kind: 'flow', title: 'Form', fields: { wish: text } } }),
  order: (text) => ({
    type: 'order',
    content: { items: [{ product_id: text, quantity: 1, price: 2, currency: 'BRL' }] },
  }),
};

test('what a customer deletes is in no table and no stream, of every kind, also when the AI has read it', async () => {
  const { id } = await platform.newStore();
  const connected = await platform.call(connectChannel, { body: { provider: 'sandbox', phone: '5511900000000' } }, id);
  const token = connected.sandbox_url?.split('/').at(-1) as string;
  await platform.call(connectModel, { body: { provider: 'demo' } }, id);
  await platform.call(createAgent, { body: { name: 'Ana', priority: 1, is_default: true } }, id);
  await platform.call(updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 0 } }, id);

  const newText = () => `words ${randomUUID()}`;
  const customer_phone = '5511970000000';
  const own = { token, customer_phone };
  const texts = Object.values(kinds).map((said) => ({ said, text: newText() }));
  for (const { said, text } of texts)
    await platform.call(receiveSandboxMessage, { body: { ...own, name: 'Bia', ...said(text) } });
  const conversation = async () => (await platform.call(readSandboxConversation, { body: own })).messages;
  const [first, ...others] = (await conversation()).filter(({ direction }) => direction === 'inbound');
  const edited = newText();
  await platform.call(changeSandboxMessage, { body: { ...own, message_id: first?.id as string, text: edited } });
  const { adminSql } = platform.database;
  const isRead = async () => {
    const turns = await adminSql`select state from ai_turns where store_id = ${id}`;
    return turns.length > 0 && turns.every(({ state }) => state !== 'open');
  };
  await waitFor(isRead, { description: 'the AI has read it' });
  const isTold = async () => (await adminSql`select from messaging.feed_entries`).length === 0;
  await waitFor(isTold, { description: 'the events are in the feed' });
  const [text, ...rest] = texts.map(({ text }) => text);
  await expect.poll(() => tablesWith(text as string)).toEqual(['events.events']);
  await expect
    .poll(() => tablesWith(edited))
    .toEqual(['events.events', 'messaging.message_changes', 'messaging.messages']);
  for (const one of rest) await expect.poll(() => tablesWith(one)).toEqual(['events.events', 'messaging.messages']);

  for (const message of [first, ...others])
    await platform.call(changeSandboxMessage, { body: { ...own, message_id: message?.id as string, deleted: true } });
  for (const one of [edited, ...texts.map(({ text }) => text)]) await expect.poll(() => tablesWith(one)).toEqual([]);
});
