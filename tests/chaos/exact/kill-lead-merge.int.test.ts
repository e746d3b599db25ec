import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from './creation.ts';
import { type SendingStage, startSendingStage } from './sending.ts';

// `admin lead merge` is killed after each of its steps. Leads from before the canonical form cannot be created through
// the API, so the test inserts them. Everything else goes through the command and the API.

const requestTimeoutMs = 3000;
let stage: SendingStage;
let phones = 0;
beforeAll(async () => {
  const processes = ['gateway', 'crm', 'messaging', 'scheduling', 'workflows'] as const;
  stage = await startSendingStage({ processes, requestTimeoutMs });
});
afterAll(() => stage?.stop());

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, whose shape the assertions check
type Json = any;

async function request(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${stage.url()}${path}`, {
    method,
    headers: { 'x-api-key': stage.store.key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
/** Posts until it is created: a busy machine may refuse it at first. The key makes the retries safe. */
async function create(path: string, body: object): Promise<void> {
  const key = randomUUID();
  const answered = () => post(`${stage.url()}${path}`, stage.store.key, key, body);
  await waitFor(async () => (await answered()).status === 201, { description: `a ${path} is created` });
}
const get = async (path: string): Promise<Json> => (await request('GET', path)).body;

/** Runs the command. Kills it when it prints a line that matches `killAt`. */
async function merge(lead: string, into: string, killAt?: RegExp): Promise<number | null> {
  const options = [
    '--store',
    stage.store.id,
    '--lead',
    lead,
    '--into',
    into,
    '--wait',
    String(requestTimeoutMs / 1000),
  ];
  const main = join(import.meta.dirname, '../../../apps/admin/src/main.ts');
  const child = spawn(process.execPath, [main, 'lead', 'merge', ...options], {
    env: { ...process.env, NATS_URL: stage.nats.url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  createInterface(child.stderr).on('line', (line) => killAt?.test(line) && child.kill('SIGKILL'));
  return await exited;
}

/** Two leads of one person, each with a message, an appointment and a follow-up. */
async function newPerson() {
  const local = String(70_000_000 + ++phones);
  const forms = [`5531${local}`, `55319${local}`] as const;
  const rows = await stage.database.adminSql<{ id: string }[]>`
    insert into crm.leads (store_id, name, customer_phone)
    select ${stage.store.id}, 'Before', phone from unnest(${[...forms]}::text[]) with ordinality as given (phone, n)
    order by n returning id`;
  const [kept, gone] = rows.map(({ id }) => id) as [string, string];
  const listed = (path: string) => async () => (await get(path)).total === 1;
  for (const [from, lead_id] of [
    [forms[0], kept],
    [forms[1], gone],
  ] as const) {
    // Messages of two leads are stored in the order of their processing, so the second waits for the first.
    expect(await stage.whatsapp.customerWrites({ from, text: `from ${from}` })).toBe(200);
    await waitFor(listed(`/leads/${lead_id}/messages`), { description: 'the message of the lead is stored' });
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    await create('/appointments', { lead_id, title: 'Exame', scheduled_at });
  }
  // After both have written, because a slow machine may send the first soon.
  for (const lead_id of [kept, gone]) {
    const due_at = new Date(Date.now() + 5000).toISOString();
    await create('/followups/scheduled', { lead_id, message: `for ${lead_id}`, due_at, cancel_on_reply: false });
  }
  return { kept, gone, forms };
}

test.each([
  ['after crm', /merged into/],
  ['after messaging', /messages moved/],
  ['after scheduling', /follow-ups moved/],
  ['in the wait', /waiting/],
])(
  'a merge that is killed %s is completed by the same command, and nothing of the lead is lost',
  async (_, line) => {
    const { kept, gone, forms } = await newPerson();
    expect(await merge(gone, kept, line)).toBe(null);
    expect(await request('GET', `/leads/${gone}`)).toMatchObject({
      status: 404,
      body: { code: 'lead_not_found', merged_into: kept },
    });
    expect(await merge(gone, kept)).toBe(0);
    expect(await merge(gone, kept)).toBe(0);

    const sent = { lead_id: gone, title: 'Exame', scheduled_at: new Date().toISOString() };
    const refused = { status: 404, body: { code: 'lead_not_found', merged_into: kept } };
    expect(await request('POST', '/appointments', sent)).toMatchObject(refused);
    expect(await request('POST', `/leads/${gone}/messages`, { message: 'Olá' })).toMatchObject(refused);
    expect((await get(`/appointments?lead_id=${kept}`)).total).toBe(2);

    // The follow-ups of both are sent to the lead that stays, in the order of its messages.
    const messages = await waitFor(
      async () => {
        const { data } = await get(`/leads/${kept}/messages`);
        return data.filter(({ status }: Json) => status === 'sent').length === 2 && data;
      },
      { description: 'both follow-ups are sent' },
    );
    const bodies = messages.map(({ body }: Json) => body).toReversed();
    expect(bodies.slice(0, 2)).toEqual(forms.map((form) => `from ${form}`));
    expect(bodies.slice(2).toSorted()).toEqual([`for ${kept}`, `for ${gone}`].toSorted());
    // A follow-up becomes `sent` a moment after its message.
    await waitFor(async () => (await get(`/followups/scheduled?lead_id=${kept}&status=sent`)).total === 2, {
      description: 'both follow-ups have the status sent',
    });

    for (const from of forms) expect(await stage.whatsapp.customerWrites({ from, text: 'again' })).toBe(200);
    await waitFor(async () => (await get(`/leads/${kept}/messages`)).total === 6, {
      description: 'messages from both forms arrive at the lead that stays',
    });
    await waitFor(async () => (await get(`/leads/${kept}`)).interaction_count === 6, {
      description: 'crm counts all messages',
    });
    const { adminSql } = stage.database;
    const left = await adminSql`
    select from messaging.conversations where lead_id = ${gone}
    union all select from crm.merged_leads where id = ${gone} and finished_at is null`;
    expect(left).toHaveLength(0);
  },
  300_000,
);
