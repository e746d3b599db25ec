import { randomUUID } from 'node:crypto';
import { cancelWebhookReplay, createWebhookReplay, getWebhookReplay } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { createRandom } from '@mostrador/testing/random';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../../test/events.ts';
import { appendTo, stageWebhook } from '../../../test/webhooks.ts';
import { planDeliveries } from '../sending/plan-deliveries.ts';

let events: TestEvents;

// The sender does not run, so that each test decides what is planned.
beforeAll(async () => {
  // Each event is sent once, also when the machine stands still during an attempt.
  events = await startEvents({ limits: { callMs: 60_000, leaseMs: 120_000, batch: 50, mostUntried: 100 } });
});
afterAll(() => events?.stop());

async function stage() {
  const staged = await stageWebhook(events, { max_in_flight: 20, ordering: 'none' });
  const { storeId, endpoint, receiver } = staged;
  const params = { endpointId: endpoint.id };
  const ask = () => testContext({ storeId });
  const plan = () => planDeliveries(events.dependencies, { store_id: storeId, id: endpoint.id });
  /** How many events are not planned, or wait to be sent. */
  const countLeft = async (): Promise<number> => {
    const [row] = await events.adminSql<{ left: number }[]>`
      select (last_sequence - planned_through + (
        select count(*) from webhook_deliveries d where d.store_id = e.store_id and d.status = 'pending'))::int as left
      from webhook_endpoints e join feeds f using (store_id) where store_id = ${storeId}`;
    return row?.left ?? 0;
  };
  return {
    receiver,
    plan,
    append: (count: number) =>
      appendTo(
        events,
        storeId,
        Array.from({ length: count }, () => randomUUID()),
      ),
    replay: (range: { from_sequence: number; to_sequence?: number }) =>
      events.rpc.call(createWebhookReplay, { params, body: { only: 'all', ...range } }, ask()),
    cancel: (replayId: string) => events.rpc.call(cancelWebhookReplay, { params: { ...params, replayId } }, ask()),
    read: (replayId: string) => events.rpc.call(getWebhookReplay, { params: { ...params, replayId } }, ask()),
    /** Plans and sends everything, as several processes do at once. */
    async sendAll() {
      const left = async () => {
        await events.adminSql`update webhook_endpoints set sender = 'workflow' where store_id = ${storeId}`;
        await Promise.all([plan(), staged.drain(), plan(), staged.drain()]);
        return await countLeft();
      };
      await expect.poll(left).toBe(0);
    },
    /** How often each of the first events has arrived. */
    times(count: number): number[] {
      const times = Array.from({ length: count }, () => 0);
      for (const { event } of receiver.received) times[event.sequence - 1] = (times[event.sequence - 1] ?? 0) + 1;
      return times;
    },
    async close() {
      expect(receiver.faults).toEqual([]);
      await staged.close();
    },
  };
}

/** A place of the planner and a range of a replay. Here the planner and the replay each look at 50 events at once. */
type Case = {
  readonly sent: number;
  readonly appended: number;
  readonly plansBefore: number;
  readonly from: number;
  readonly to: number;
  readonly plansAfter: number;
  readonly later: number;
};

const seed = Date.now() % 1_000_000;
const random = createRandom(seed);
const anyCase = (): Case => {
  const [sent, appended] = [random.below(70), 1 + random.below(170)];
  const from = 1 + random.below(sent + appended + 1);
  const to = from + random.below(sent + appended + 5);
  return {
    sent,
    appended,
    plansBefore: random.below(4),
    from,
    to,
    plansAfter: random.below(4),
    later: random.below(20),
  };
};

test.each<Case>([
  // Here the planner makes 100 deliveries at most before they are sent, and the range is after them.
  { sent: 0, appended: 220, plansBefore: 0, from: 171, to: 220, plansAfter: 3, later: 0 },
  // The replay waits for the first 50, and the rest of its range is sent meanwhile.
  { sent: 60, appended: 30, plansBefore: 1, from: 1, to: 90, plansAfter: 0, later: 5 },
  ...Array.from({ length: 6 }, anyCase),
])(
  `a replay sends each of its events once: %o (seed ${seed})`,
  async ({ sent, appended, from, to, ...rest }) => {
    const staged = await stage();
    const plan = async (times: number) => {
      for (let done = 0; done < times; done += 1) await staged.plan();
    };
    if (sent > 0) await staged.append(sent);
    await staged.sendAll();
    await staged.append(appended);
    await plan(rest.plansBefore);
    const { id } = await staged.replay({ from_sequence: from, to_sequence: to });
    if (rest.later > 0) await staged.append(rest.later);
    await plan(rest.plansAfter);
    await expect
      .poll(async () => {
        await staged.sendAll();
        return (await staged.read(id)).status;
      })
      .toBe('done');
    const wrong = staged.times(sent + appended + rest.later).flatMap((times, index) => {
      const sequence = index + 1;
      const expected = sequence <= sent && sequence >= from && sequence <= to ? 2 : 1;
      return times === expected ? [] : [`${sequence}: ${times} instead of ${expected}`];
    });
    expect(wrong).toEqual([]);
    await staged.close();
  },
  600_000,
);

test('a cancelled replay takes no event away that the planner has not reached', async () => {
  const staged = await stage();
  await staged.append(60);
  const { id } = await staged.replay({ from_sequence: 51 });
  await staged.plan();
  await staged.cancel(id);
  await staged.sendAll();
  expect(staged.times(60).filter((times) => times !== 1)).toEqual([]);
  await staged.close();
});
