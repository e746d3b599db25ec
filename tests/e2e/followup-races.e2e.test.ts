import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Answer, admin, eventually, type Json, newStore, request } from './platform.ts';

// For more races: MOSTRADOR_FOLLOWUP_RACES=10000 npm test -- followup-races
const races = Number(process.env.MOSTRADOR_FOLLOWUP_RACES || 150);
/** The races of one batch fall due within 5 s. */
const batchSize = 150;
const batchMs = 5_000;
/** Fewer than the channel's burst limit per customer. */
const racesPerLead = 20;
const limitMs = 600_000 + races * 400;
/** The minimum time from the first creation of a batch to its first due time. */
const leastAheadMs = 6_000;

/** The result of a race: the answer to DELETE, the final row, and whether the channel delivered the message. */
type Race = { id: string; answer: Answer; row: Json; delivered: boolean };

test('in a race of cancellation and timer, the answer, the row and the channel agree on one winner', {
  timeout: limitMs,
}, async () => {
  const store = await newStore({ arguments: ['--rate-limit', '1000000'] });
  const { sandbox_url } = await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
  const winners = { cancel: 0, fire: 0 };
  const pace: Pace = { aheadMs: leastAheadMs, lagMs: 50 };
  const ask = (id: string) => request('DELETE', `/followups/scheduled/${id}`, { key: store.key });
  await untilBothWin(winners, async (count, before) => {
    for (const race of await raceBatch(store.key, sandbox_url, { count, before, pace, ask })) {
      judge(race);
      winners[race.answer.status === 200 ? 'cancel' : 'fire'] += 1;
    }
  });
  process.stdout.write(`Of the races the cancellation won ${winners.cancel}, the timer ${winners.fire}\n`);
  // Otherwise the two did not race.
  expect(winners.cancel).toBeGreaterThan(races / 50);
  expect(winners.fire).toBeGreaterThan(races / 50);
});

test('in a race of a move and the timer, the answer, the row and the channel agree on one winner', {
  timeout: limitMs,
}, async () => {
  const store = await newStore({ arguments: ['--rate-limit', '1000000'] });
  const { sandbox_url } = await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
  const winners = { move: 0, fire: 0 };
  const pace: Pace = { aheadMs: leastAheadMs, lagMs: 50 };
  const due_at = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const ask = (id: string) => request('PATCH', `/followups/scheduled/${id}`, { key: store.key, body: { due_at } });
  await untilBothWin(winners, async (count, before) => {
    for (const race of await raceBatch(store.key, sandbox_url, { count, before, pace, ask })) {
      const { id, answer, row, delivered } = race;
      expect([200, 409], answer.text).toContain(answer.status);
      winners[answer.status === 200 ? 'move' : 'fire'] += 1;
      const outcome = answer.status === 200 ? { status: 'pending', due_at } : { status: 'sent', due_at: row.due_at };
      expect({ id, status: row.status, due_at: row.due_at, delivered }).toEqual({
        id,
        ...outcome,
        delivered: answer.status === 409,
      });
    }
  });
  process.stdout.write(`Of the races the move won ${winners.move}, the timer ${winners.fire}\n`);
  expect(winners.move).toBeGreaterThan(races / 50);
  expect(winners.fire).toBeGreaterThan(races / 50);
});

test('a follow-up that is moved to an earlier time goes out at that time', async () => {
  const store = await newStore();
  const { sandbox_url } = await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
  const { key } = store;
  const customer_phone = '5511912345678';
  const lead = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone } });
  const body = { lead_id: lead.body.id, message: 'Earlier', delay_minutes: 600 };
  const made = await request('POST', '/followups/scheduled', { key, body });
  const path = `/followups/scheduled/${made.body.id}`;
  const dueMs = Date.now() + 4_000;
  const moved = await request('PATCH', path, { key, body: { due_at: new Date(dueMs).toISOString() } });
  expect(moved.status, moved.text).toBe(200);
  const row = await eventually(
    async (): Promise<Json> => (await request('GET', path, { key })).body,
    ({ status }) => status === 'sent',
  );
  expect(Date.parse(row.updated_at)).toBeGreaterThanOrEqual(dueMs);
  const conversation: Json = await (await fetch(`${sandbox_url}/messages?customer_phone=${customer_phone}`)).json();
  expect(conversation.messages.map(({ text }: Json) => text)).toEqual(['Earlier']);
});

/**
 * Runs the batches of all races, and up to two more while one side wins nearly always: on a busy machine the first
 * batch can end before its pace has found the moment at which both may win.
 */
async function untilBothWin(
  winners: Readonly<Record<string, number>>,
  batch: (count: number, before: number) => Promise<void>,
): Promise<void> {
  const isOneSided = () => Object.values(winners).some((won) => won <= races / 50);
  for (let done = 0; done < races || (isOneSided() && done < races + 2 * batchSize); done += batchSize) {
    await batch(Math.min(batchSize, done < races ? races - done : races), done);
  }
}

function judge({ id, answer, row, delivered }: Race): void {
  expect([200, 409], answer.text).toContain(answer.status);
  if (answer.status === 200) {
    expect({ id, status: row.status, reason: row.cancel_reason, delivered }).toEqual({
      id,
      status: 'cancelled',
      reason: 'api',
      delivered: false,
    });
    return;
  }
  expect(['sending', 'sent', 'failed']).toContain(answer.body.current_status);
  expect({ id, status: row.status, delivered }).toEqual({ id, status: 'sent', delivered: true });
}

/** Adapts the next batch to a busy machine, which creates slowly and whose timers fire late. */
type Pace = {
  /** Time from the first creation to the first due time. */
  aheadMs: number;
  /**
   * How long after its due time a follow-up is cancelled. Longer after each won cancellation, shorter after each lost
   * one.
   */
  lagMs: number;
};

/** Runs one batch of races. `before` is the number of earlier races. */
async function raceBatch(
  key: string,
  sandboxUrl: string,
  { count, before, pace, ask }: { count: number; before: number; pace: Pace; ask: (id: string) => Promise<Answer> },
): Promise<Race[]> {
  const leads = await Promise.all(
    Array.from({ length: Math.ceil(count / racesPerLead) }, async (_, index) => {
      const customer_phone = String(5511_000_000_000 + before + index);
      const lead = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone } });
      expect(lead.status, lead.text).toBe(201);
      return { id: lead.body.id as string, phone: customer_phone };
    }),
  );
  const createdFromMs = Date.now();
  const startMs = createdFromMs + pace.aheadMs;
  const entries = await eachOf(Array.from({ length: count }), 20, async (_, index) => {
    const dueMs = startMs + Math.floor((index / count) * batchMs);
    const message = `race ${before + index}`;
    const lead_id = leads[index % leads.length]?.id;
    const body = { lead_id, message, due_at: new Date(dueMs).toISOString() };
    const made = await request('POST', '/followups/scheduled', { key, body });
    expect(made.status, made.text).toBe(201);
    return { id: made.body.id as string, dueMs, message };
  });
  pace.aheadMs = Math.max(leastAheadMs, 2 * (Date.now() - createdFromMs));
  const answers = await Promise.all(
    entries.map(async ({ id, dueMs }) => {
      await pause(Math.max(0, dueMs - Date.now()));
      await pause(Math.max(0, pace.lagMs + (Math.random() - 0.5) * 40));
      const answer = await ask(id);
      const step = 10 + pace.lagMs / 50;
      pace.lagMs = Math.max(0, pace.lagMs + (answer.status === 200 ? step : -step));
      return answer;
    }),
  );
  const rows = await eachOf(entries, 20, ({ id }) =>
    eventually(
      async (): Promise<Json> => (await request('GET', `/followups/scheduled/${id}`, { key })).body,
      ({ status, due_at }) => (status !== 'pending' || Date.parse(due_at) > Date.now()) && status !== 'sending',
      240_000,
    ),
  );
  const delivered = new Set<string>();
  for (const { phone } of leads) {
    const conversation: Json = await (await fetch(`${sandboxUrl}/messages?customer_phone=${phone}`)).json();
    for (const { text } of conversation.messages) {
      expect(delivered, 'nothing arrives twice').not.toContain(text);
      delivered.add(text);
    }
  }
  return entries.map(({ id, message }, index) => ({
    id,
    answer: answers[index] as Answer,
    row: rows[index],
    delivered: delivered.has(message),
  }));
}

/** Runs `work` for each item, with at most `atOnce` in parallel. */
async function eachOf<T, R>(items: readonly T[], atOnce: number, work: (item: T, index: number) => Promise<R>) {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
