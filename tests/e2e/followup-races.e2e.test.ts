import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Answer, admin, eventually, type Json, newStore, request } from './platform.ts';

// To race more often: MOSTRADOR_FOLLOWUP_RACES=10000 npm test -- followup-races
const races = Number(process.env.MOSTRADOR_FOLLOWUP_RACES || 300);
/** Of one batch, which is due within ten seconds. */
const batchSize = 300;
const batchMs = 10_000;
/** Fewer than the channel takes to one customer in a burst. */
const racesPerLead = 20;
const limitMs = 120_000 + races * 400;
/** From the first creation of a batch to its first due moment, at least; on a busy machine creating takes longer. */
const leastAheadMs = 6_000;

/** How a race ended: what DELETE answered, and what the row and the channel say in the end. */
type Race = { id: string; answer: Answer; row: Json; delivered: boolean };

test('cancel against fire: each race has one winner, and the answer, the row and the channel agree', {
  timeout: limitMs,
}, async () => {
  const store = await newStore({ arguments: ['--rate-limit', '1000000'] });
  const { sandbox_url } = await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
  const winners = { cancel: 0, fire: 0 };
  const pace: Pace = { aheadMs: leastAheadMs, lagMs: 50 };
  for (let done = 0; done < races; done += batchSize) {
    for (const race of await raceBatch(store.key, sandbox_url, {
      count: Math.min(batchSize, races - done),
      before: done,
      pace,
    })) {
      judge(race);
      winners[race.answer.status === 200 ? 'cancel' : 'fire'] += 1;
    }
  }
  process.stdout.write(`${races} races: the cancellation won ${winners.cancel}, the timer ${winners.fire}\n`);
  // Else they did not meet.
  expect(winners.cancel).toBeGreaterThan(races / 50);
  expect(winners.fire).toBeGreaterThan(races / 50);
});

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

/** What a batch learns for the next one: a busy machine creates slowly, and its timers fire late. */
type Pace = {
  /** From the first creation to the first due moment. */
  aheadMs: number;
  /** How long after the due moment the timer has fired: whoever won is met later, or earlier, next time. */
  lagMs: number;
};

/** `before`: how many were raced already. */
async function raceBatch(
  key: string,
  sandboxUrl: string,
  { count, before, pace }: { count: number; before: number; pace: Pace },
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
      const answer = await request('DELETE', `/followups/scheduled/${id}`, { key });
      const step = 10 + pace.lagMs / 50;
      pace.lagMs = Math.max(0, pace.lagMs + (answer.status === 200 ? step : -step));
      return answer;
    }),
  );
  const rows = await eachOf(entries, 20, ({ id }) =>
    eventually(
      async (): Promise<Json> => (await request('GET', `/followups/scheduled/${id}`, { key })).body,
      ({ status }) => status !== 'pending' && status !== 'sending',
      120_000,
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

/** Works through them, so many at once. */
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
