import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Kill, killsOf, type Point } from './turn-kills.ts';
import { type Lead, rightName, type Shown, startTurnStage, type TurnStage, type Wish } from './turns.ts';

// Processes are killed at every point of a turn: `turn-kills.ts` has them.

/** A point that a machine which stands still has missed is tried again with another lead. */
const mostTries = 3;

let stage: TurnStage;
let kills: readonly Kill[];
const leads: Lead[] = [];
/** Those who have written. */
const served: Lead[] = [];

beforeAll(async () => {
  stage = await startTurnStage();
  kills = killsOf(stage.proxies);
  const wishes = kills.flatMap(({ points }) => points).map(({ wish = 'book' }) => wish);
  leads.push(...(await Promise.all(wishes.map((wish) => stage.newLead(wish)))));
}, 600_000);
afterAll(() => stage?.stop());

/** The lead says what it wants, and the turn stands at the point. */
async function standAt(lead: Lead, { hold, next, writesOn, shows, goesOn }: Point): Promise<Hold> {
  served.push(lead);
  const held = hold(lead);
  await stage.write(lead);
  await held.reached;
  if (goesOn) {
    const description = `lead ${lead.number} shows ${JSON.stringify(shows)}`;
    await waitFor(async () => isAt(await stage.shownOf(lead), shows), { description });
  }
  if (!next) return held;
  if (writesOn) await stage.writeOn(lead);
  const second = next(lead);
  held.release();
  await second.reached;
  return second;
}

const isAt = (shown: Shown, shows: Point['shows']): boolean =>
  Object.entries(shows).every(([name, value]) => shown[name as keyof Shown] === value);

async function leadOf(wish: Wish): Promise<Lead> {
  const place = leads.findIndex((one) => one.wish === wish);
  return place < 0 ? await stage.newLead(wish) : (leads.splice(place, 1)[0] as Lead);
}

/** Kills the process at all these points, and starts it again. The time of the leases that it leaves passes at once. */
async function killAt({ process, points }: Kill, tries = 1): Promise<void> {
  const those = await Promise.all(points.map(async (point) => ({ point, lead: await leadOf(point.wish ?? 'book') })));
  const held: Hold[] = [];
  for (const { lead, point } of those) held.push(await standAt(lead, point));
  await stage.kill(process);
  for (const hold of held) hold.drop();
  const shown = await Promise.all(those.map(({ lead }) => stage.shownOf(lead)));
  const missed = points.filter(({ shows }, place) => !isAt(shown[place] as Shown, shows));
  if (tries === mostTries) expect(shown).toMatchObject(points.map(({ shows }) => shows));
  if (process === 'assistant') {
    await stage.database.adminSql`
      update ai_turns set lease_until = now(), next_attempt_at = now() where lease_token is not null`;
  }
  await stage.start(process);
  if (missed.length > 0) await killAt({ process, points: missed }, tries + 1);
}

/** How many calls to models the store has had, and how many of them failed. */
const countedCalls = async () => {
  const [row] = await stage.database.adminSql<[{ calls: number; failed: number }]>`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(failed_calls), 0)::int as failed
    from assistant.model_usage where store_id = ${stage.store.id}`;
  return row;
};
const reservedCalls = async () => {
  const [row] = await stage.database.adminSql<[{ calls: number }]>`
    select sum(calls)::int as calls from assistant.model_days where store_id = ${stage.store.id}`;
  return row.calls;
};

/** What the AI has written to a lead in the end, once each. */
const saidInTheEnd: Record<Wish, readonly RegExp[]> = {
  book: [/Qual prefere\?/, /^Marcado: /],
  ask: [/Qual prefere\?/, /confirma/],
  move: [/Qual prefere\?/, /^Remarcado: /],
  cancel: [/^Cancelado: /],
  follow_up: [/Até lá\./],
  rename: [/Corrigido\./],
  hand_over: [/Vou chamar uma pessoa/],
};

/** What has come of a lead's wish: its appointments, its follow-ups, and the hand-overs. */
async function effectsOf({ id }: Lead) {
  const [effects] = await stage.database.adminSql<[object]>`
    select
      (select coalesce(json_agg(json_build_array(status, (extract(epoch from scheduled_at) * 1000)::bigint)), '[]')
       from scheduling.appointments where lead_id = ${id}) as appointments,
      (select count(*)::int from scheduling.followups where lead_id = ${id}) as followups,
      (select name = ${rightName} from crm.leads where id = ${id}) as renamed,
      (select count(*)::int from ai_turns where lead_id = ${id} and state = 'handed_over') as hand_overs`;
  return effects;
}

function wantedOf({ wish, offer }: Lead) {
  const none = { appointments: [], followups: 0, renamed: false, hand_overs: 0 };
  switch (wish) {
    case 'book':
    case 'move':
      return { ...none, appointments: [['scheduled', Date.parse(offer.at)]] };
    case 'cancel':
      return { ...none, appointments: [['cancelled', expect.any(Number)]] };
    case 'follow_up':
      return { ...none, followups: 1 };
    case 'rename':
      return { ...none, renamed: true };
    case 'ask':
    case 'hand_over':
      return { ...none, hand_overs: 1 };
  }
}

test('after kills at every point of a turn each lead has what it wanted once, and one message that says so', async () => {
  for (const kill of kills) await killAt(kill);
  // An event that a dead process had comes again.
  await stage.untilAllIsDone();
  for (const lead of served) {
    const said = await stage.saidTo(lead);
    expect(said, `what lead ${lead.number} was told`).toEqual(
      saidInTheEnd[lead.wish].map((text) => expect.stringMatching(text)),
    );
    expect(await effectsOf(lead), `what lead ${lead.number} has`).toEqual(wantedOf(lead));
  }

  // Each time for which a person is asked is held once.
  const holds = await stage.database.adminSql`
    select scheduled_at from scheduling.bookings where store_id = ${stage.askingStore.id} and expires_at > now()`;
  const asked = served.filter(({ wish }) => wish === 'ask').map(({ offer }) => offer.at);
  expect(holds.map(({ scheduled_at }) => scheduled_at.toISOString()).toSorted()).toEqual(asked.toSorted());

  // The process died between the call to a model and its count. Each call that was begun is counted, once.
  const [counted, died] = await stage.database.adminSql.begin(async (sql) => {
    // On a slow machine some have expired and are counted. While these are locked, no other is.
    await sql`select from assistant.model_calls where store_id = ${stage.store.id} for update`;
    const { failed } = await countedCalls();
    const expired = await sql`
      update assistant.model_calls set expires_at = now() - interval '1 second' where store_id = ${stage.store.id} returning id`;
    return [failed, expired.length];
  });
  expect(counted + died).toBeGreaterThan(0);
  await waitFor(async () => (await countedCalls()).failed === counted + died, {
    description: 'died calls are counted',
  });
  expect((await countedCalls()).calls).toBe(await reservedCalls());
}, 900_000);
