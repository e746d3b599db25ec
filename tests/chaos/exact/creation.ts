import { randomUUID } from 'node:crypto';
import {
  appointmentWorkflow,
  calendarWatchWorkflow,
  createLead,
  type DomainEvent,
  eventStream,
} from '@mostrador/contracts';
import { stepLimits } from '@mostrador/contracts/workflows';
import { awakeMs } from '@mostrador/testing/awake';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { expect } from 'vitest';
import type { ProcessName, Stage, Store } from './stage.ts';

export type Answer = {
  /** 0: the connection broke before an answer came. */
  readonly status: number;
  readonly replayed: boolean;
  readonly text: string;
  readonly afterMs: number;
};

/** One appointment under one idempotency key. `send` may be called repeatedly. */
export type Creation = {
  readonly title: string;
  readonly key: string;
  send(gateway?: ProcessName): Promise<Answer>;
};

export function newCreation(stage: Stage, store: Store, more: { lead_id?: string } = {}): Creation {
  const [key, title] = [randomUUID(), `Corte ${randomUUID()}`];
  const body = { title, scheduled_at: new Date(Date.now() + 72 * 3_600_000).toISOString(), ...more };
  return {
    title,
    key,
    send: (gateway) => post(`${stage.url(gateway)}/appointments`, store.key, key, body),
  };
}

let phones = 5511975000000;
export const newLead = async (stage: Stage, store: Store): Promise<string> => {
  const phone = String(++phones);
  return (await stage.call(createLead, { body: { name: 'Ana', customer_phone: phone } }, store.id)).id;
};

/** Posts once, without a retry. */
export async function post(url: string, apiKey: string, key: string, body: object): Promise<Answer> {
  const startedAt = awakeMs();
  const afterMs = () => awakeMs() - startedAt;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      replayed: response.headers.get('idempotent-replay') === 'true',
      text,
      afterMs: afterMs(),
    };
  } catch {
    return { status: 0, replayed: false, text: '', afterMs: afterMs() };
  }
}

export const sendAll = (creations: readonly Creation[]): Promise<Answer[]> =>
  Promise.all(creations.map((creation) => creation.send()));

/** Sends until the answer is 201. The key makes the retries safe. */
export const untilMade = (creation: Creation): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await creation.send();
      return answer.status === 201 && answer;
    },
    { description: 'the creation is answered with 201' },
  );

/**
 * Sends until every point is reached: a busy machine may refuse a request before it comes there. The key makes the retries
 * safe. Returns what was sent last, because the answer may come after a kill.
 *
 * @throws Error when the request is rejected, or a point is not reached
 */
export async function sendTo(
  points: readonly Hold[],
  request: { send(): Promise<Answer> },
): Promise<{ readonly answer: Promise<Answer> }> {
  const reached = Promise.all(points.map((point) => point.reached)).then(() => true);
  for (;;) {
    const answer = request.send();
    const isRefused = answer.then(({ status, text }) => {
      if ([0, 503, 504].includes(status) || text.includes('idempotency_in_progress')) return false;
      if (status >= 400) throw new Error(`the request was answered with ${status}: ${text}`);
      return reached;
    });
    if (await Promise.race([reached, isRefused])) return { answer };
  }
}

/** Whether calls to a provider were held so short that none has reached its limit, also when its answer comes soon. */
export const areInTime = (holds: readonly Hold[]): boolean =>
  holds.every(({ stoppedMs }) => stoppedMs < stepLimits.callMs - 3000);

/**
 * Kills the process while the holds of `stand` stop their calls to a provider. On a slow machine the first of them may end
 * before the kill, so it begins again with other appointments until none has.
 */
export async function killInTime(stage: Stage, victim: ProcessName, stand: () => Promise<Hold[]>): Promise<Hold[]> {
  for (;;) {
    const holds = await stand();
    await stage.kill(victim);
    if (areInTime(holds)) return holds;
    for (const hold of holds) hold.release();
    await stage.start(victim);
    await settled(stage);
    // A connection sends the text of a statement only once, and a hold looks for it.
    await stage.restart(victim);
  }
}

/** Sends each creation until it succeeds, checks that each has one row, and returns the ids. */
export async function makeEach(stage: Stage, creations: readonly Creation[]): Promise<string[]> {
  const ids: string[] = [];
  for (const creation of creations) {
    await untilMade(creation);
    ids.push(await oneRow(stage, creation));
  }
  return ids;
}

/** Checks that a creation has one row and one idempotency record, and returns the row's id. */
export async function oneRow(stage: Stage, { title, key }: Creation): Promise<string> {
  const rows = await stage.database.adminSql`select id from appointments where title = ${title}`;
  expect(rows).toHaveLength(1);
  expect(await stage.database.adminSql`select from idempotency_records where key = ${key}`).toHaveLength(1);
  return rows[0]?.id as string;
}

export async function noRow(stage: Stage, { title, key }: Creation): Promise<void> {
  expect(await stage.database.adminSql`select from appointments where title = ${title}`).toHaveLength(0);
  expect(await stage.database.adminSql`select from idempotency_records where key = ${key}`).toHaveLength(0);
}

/**
 * Waits until the outbox is empty, every event is in the calendar, and no workflow is open. The longest recovery after a
 * kill is a task given to a dead connection (10 s and 20 s), a request without an answer (12 s) and a lease (15 s).
 */
export async function settled(stage: Stage): Promise<void> {
  const { adminSql } = stage.database;
  const left = async () => {
    const [counts] = await adminSql`
      select (select count(*)::int from outbox) as outbox,
             (select count(*)::int from calendar_syncs where state <> 'synced') as syncs`;
    // The watch of a calendar is open for as long as the calendar is connected.
    const carrying = `ExecutionStatus = 'Running' AND WorkflowType != '${calendarWatchWorkflow.name}'`;
    const { count } = await stage.temporal.client.workflow.count(carrying);
    return { ...counts, open: count } as { outbox: number; syncs: number; open: number };
  };
  await waitFor(
    async () => {
      const { outbox, syncs, open } = await left();
      if (outbox + syncs + open > 0) throw new Error(JSON.stringify({ outbox, syncs, open }));
      return true;
    },
    { description: 'all work is done', intervalMs: 200 },
  );
}

/** Reads the effects of settled creations from the calendar, the event stream and Temporal. */
export async function everywhere(stage: Stage) {
  const [inCalendar, published] = await Promise.all([readEvents(stage.radicale), readStream(stage)]);
  return {
    /** Number of calendar events with this appointment's title. */
    inCalendar: (creation: Creation) => inCalendar.filter(({ title }) => title === creation.title).length,
    /** Number of this appointment's `scheduling.appointment.created` events in the stream. */
    published: (id: string) =>
      published.filter(
        ({ type, data }) =>
          type.endsWith('appointment.created') && 'appointment_id' in data && data.appointment_id === id,
      ).length,
    /** Number of runs of the appointment's workflow. */
    runs: async (id: string) => {
      const query = `WorkflowId = '${appointmentWorkflow.workflowId(id)}'`;
      return (await stage.temporal.client.workflow.count(query)).count;
    },
  };
}

async function readStream(stage: Stage): Promise<DomainEvent[]> {
  const { streams } = await stage.nats.nats.jetstreamManager({ timeout: 60_000 });
  const { state } = await streams.info(eventStream.name);
  const events: DomainEvent[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    events.push((await streams.getMessage(eventStream.name, { seq })).json<DomainEvent>());
  }
  return events;
}
