import { calendarWatchWorkflow } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCreation, oneRow, settled, untilMade } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

let stage: Stage;
let store: Store;
beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
});
afterAll(() => stage?.stop());

const file = (id: string) => new URL(`${id}.ics`, stage.radicale.collectionUrl);
const request = async (method: string, id: string, body?: string) => {
  const { username, password } = stage.radicale;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'text/calendar' };
  const response = await fetch(file(id), { method, headers, ...(body !== undefined && { body }) });
  expect(response.ok).toBe(true);
  return await response.text();
};

/** Lets the watch look at the calendar now, and not in a minute. */
async function lookNow(): Promise<void> {
  const [watch] = await stage.database.adminSql<{ connection_id: string }[]>`
    update calendar_watches set wake_at = now() where store_id = ${store.id} returning connection_id`;
  const workflowId = calendarWatchWorkflow.workflowId(watch?.connection_id as string);
  await stage.temporal.client.workflow.getHandle(workflowId).signal('overdue');
}

test('an event that a person moved moves its appointment once, also when scheduling is killed before and after the commit', async () => {
  const creation = newCreation(stage, store);
  await untilMade(creation);
  const id = await oneRow(stage, creation);
  await settled(stage);
  const text = await request('GET', id);
  const hour = new Date(Date.now() + 72 * 3_600_000).getUTCHours() < 12 ? 20 : 5;
  const at = (hour: number) => String(hour).padStart(2, '0');
  const moved = text
    .replace(/DTSTART:(\d{8}T)\d\d/, `DTSTART:$1${at(hour)}`)
    .replace(/DTEND:(\d{8})T\d\d/, (_, day) => `DTEND:${text.match(/DTSTART:(\d{8})/)?.[1] ?? day}T${at(hour + 1)}`);
  expect(moved).not.toBe(text);
  await request('PUT', id, moved);
  const row = async () => {
    const [found] = await stage.database.adminSql`
      select version, extract(hour from scheduled_at at time zone 'UTC')::int as hour from appointments where id = ${id}`;
    return found;
  };
  const before = stage.proxies.database.holdRequest('update appointments');
  await lookNow();
  await before.reached;
  await stage.restart('scheduling');
  // The lease of the look that died ends after 15 s. Then the move is committed, and scheduling dies once more.
  const after = stage.proxies.database.holdRequest('delete from calendar_objects');
  await after.reached;
  expect(await row()).toEqual({ version: 2, hour });
  await stage.restart('scheduling');

  const pending = () =>
    stage.database.adminSql`select from calendar_objects where store_id = ${store.id} and is_pending`;
  await waitFor(async () => (await pending()).length === 0, { description: 'the calendar is read' });
  await settled(stage);
  expect(await row()).toEqual({ version: 2, hour });
  expect(await request('GET', id)).toContain('X-MOSTRADOR-SEQUENCE:1');
});
