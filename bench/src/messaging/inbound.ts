import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement } from '../appointments/measure.ts';
import { untilQuiet } from '../shared/backlog.ts';
import type { LoadResult, Prepared } from '../shared/load/job.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { rotated } from '../shared/statistics.ts';
import type { Inbound, MessagingStage } from './stage.ts';

export type InboundPlan = { readonly seconds: number; readonly customers: number };

export type Received = Measurement & {
  /** Processed payloads per second, during the load and after it. */
  readonly processedMeanwhile: number;
  readonly processedAfterwards: number;
};

export type InboundFindings = { platform: Map<number, Received[]>; bare: Map<number, Measurement[]> };

export const inboundCallers = [8, 32];
/** More than the platform answers in the time. A bare server may get some of them twice. */
const preparedPerSecond = 20_000;
const warmUpMs = 500;
const lookEveryMs = 50;
const processedWithinMs = 10 * 60_000;
const quietWithinMs = 30_000;

export async function inboundRound(
  stage: MessagingStage,
  plan: InboundPlan,
  round: number,
  into: InboundFindings,
  say: (text: string) => void,
): Promise<void> {
  for (const concurrency of inboundCallers) {
    const variants = rotated(
      [
        async () => {
          const received = await receiveMany(stage, plan, concurrency);
          push(into.platform, concurrency, received);
          const { perSecond, processedMeanwhile, processedAfterwards } = received;
          say(
            `webhooks × ${concurrency}: ${perSecond.toFixed(0)}/s, processed ${processedMeanwhile.toFixed(0)}/s meanwhile and ${processedAfterwards.toFixed(0)}/s afterwards`,
          );
        },
        async () => {
          const bare = await receiveBare(stage, plan, concurrency);
          push(into.bare, concurrency, bare);
          say(`webhooks × ${concurrency}, bare: ${bare.perSecond.toFixed(0)}/s`);
        },
      ],
      round,
    );
    for (const variant of variants) {
      await variant();
      await untilQuiet(stage.processes, quietWithinMs);
    }
  }
}

async function receiveMany(stage: MessagingStage, plan: InboundPlan, concurrency: number): Promise<Received> {
  const { sql, inbound } = stage;
  const { posts, messageIds } = webhooks(inbound, inbound.platform.path, plan);
  const read = async () => {
    const [row] = await sql<[{ open: number; done: number }]>`
      select (count(*) filter (where processed_at is null))::int as open,
             (count(*) filter (where processed_at is not null))::int as done
      from messaging.inbound_payloads where channel_id = ${inbound.channelId}`;
    return row;
  };
  const before = await read();
  const since = performance.now();
  const measured = await load(stage, inbound.platform.origin, posts, plan, concurrency);
  if (measured.sent > posts.length) throw new Error('the load sent more requests than were prepared');
  const loadedMs = performance.now() - since;
  const atEnd = await read();
  const restSince = performance.now();
  while ((await read()).open > 0) {
    if (performance.now() - restSince > processedWithinMs) throw new Error('some payloads were not processed');
    await pause(lookEveryMs);
  }
  const restMs = performance.now() - restSince;
  const sent = messageIds.slice(0, measured.sent);
  await assertTakenInOnce(stage, sent);
  return {
    ...measured,
    processedMeanwhile: ((atEnd.done - before.done) * 1000) / loadedMs,
    processedAfterwards: (atEnd.open * 1000) / restMs,
  };
}

/** Throws unless every posted message is stored exactly once. */
async function assertTakenInOnce({ sql, inbound }: MessagingStage, ids: readonly string[]): Promise<void> {
  const distinct = [...new Set(ids)];
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from messaging.messages
    where channel_id = ${inbound.channelId} and provider_message_id = any(${distinct}::text[])`;
  if (row.count !== distinct.length) throw new Error(`${row.count} of ${distinct.length} messages were stored`);
}

async function receiveBare(stage: MessagingStage, plan: InboundPlan, concurrency: number): Promise<Measurement> {
  const { bare } = stage.inbound;
  const measured = await load(stage, bare.origin, webhooks(stage.inbound, bare.path, plan).posts, plan, concurrency);
  await stage.sql`truncate bench.inbound_payloads`;
  return measured;
}

async function load(
  { load, processes }: MessagingStage,
  origin: string,
  prepared: readonly Prepared[],
  { seconds }: InboundPlan,
  concurrency: number,
): Promise<Measurement> {
  const before = cpuOfAll(processes);
  const result: LoadResult = await load({
    ...{ origin, method: 'POST', paths: [], headers: {}, expectedStatus: 200 },
    ...{ prepared, concurrency, warmUpMs, durationMs: seconds * 1000 },
  });
  return { ...result, cpuMs: cpuMsEach(before, processes, result.sent) };
}

/** Signed posts with one message each, for the customers in turn. Every fifth post is a duplicate of a recent one. */
function webhooks({ phoneNumberId, appSecret }: Inbound, path: string, { seconds, customers }: InboundPlan) {
  const count = Math.ceil((seconds + warmUpMs / 1000) * preparedPerSecond);
  const messageIds: string[] = [];
  const posts: Prepared[] = [];
  for (let index = 0; index < count; index++) {
    if (index % 5 === 4) {
      posts.push(posts[index - 4] as Prepared);
      messageIds.push(messageIds[index - 4] as string);
      continue;
    }
    const id = `wamid.${randomUUID()}`;
    const body = JSON.stringify(notification(phoneNumberId, String(5511970000000 + (index % customers)), id));
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    posts.push({ path, headers: { 'X-Hub-Signature-256': `sha256=${signature}` }, body });
    messageIds.push(id);
  }
  return { posts, messageIds };
}

/** The notification that WhatsApp posts for a text message. */
const notification = (phoneNumberId: string, from: string, id: string) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '100000000000001',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
            contacts: [{ profile: { name: 'Maria da Silva' }, wa_id: from }],
            messages: [
              {
                from,
                id,
                timestamp: String(Math.floor(Date.now() / 1000)),
                type: 'text',
                text: { body: 'Are my glasses ready?' },
              },
            ],
          },
        },
      ],
    },
  ],
});

function push<T>(into: Map<number, T[]>, key: number, value: T): void {
  into.set(key, [...(into.get(key) ?? []), value]);
}
