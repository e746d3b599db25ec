import { setTimeout as delay } from 'node:timers/promises';
import { createWebhookReplay, getWebhookReplay, type WebhookReplay } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { record } from '../terminal.ts';
import { endpointFrom, endpointOption, typeList, typesText } from './webhook-text.ts';

type Options = {
  store?: string;
  endpoint?: string;
  only?: string;
  from?: unknown;
  to?: unknown;
  types?: string[];
  wait?: boolean;
  json?: boolean;
};

/** How often `--wait` asks how far the replay is. */
const everyMs = 1_000;

const example =
  'webhook replay --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --endpoint 0198c1f4-62ff-7de1-8b15-d6e7f8091a2b';

export const replayWebhookCommand = (admin: Admin): Command =>
  verb('replay', 'Send events to a webhook endpoint again, in their order', [
    `${example} --only failed --wait`,
    `${example} --only all --from 1200 --to 1300 --types lead.updated`,
  ])
    .option('--store <id>', 'the store (required)')
    .option(...endpointOption)
    .option('--only <word>', 'failed: what was given up or cancelled; all: every event of the range (required)')
    .option('--from <sequence>', 'the first event (default: the oldest that the feed has)', wholeNumber)
    .option('--to <sequence>', 'the last event (default: the newest)', wholeNumber)
    .option(
      '--types <list>',
      'only events of these types, separated by commas (default: those of the endpoint)',
      typeList,
    )
    .option('--wait', 'wait until all its deliveries are final; Ctrl-C ends the wait, and the replay goes on')
    .action(async (options: Options) => {
      const { only, from, to, types } = options;
      const endpointId = endpointFrom(options.endpoint);
      const request = checked(
        createWebhookReplay,
        { only, from_sequence: from, to_sequence: to, types },
        { from_sequence: '--from', to_sequence: '--to' },
        { endpointId },
      );
      const { id: storeId } = await existingStore(admin, options.store);
      const begun = await admin.platform.call(createWebhookReplay, request, storeId);
      const replay = options.wait ? await untilEnded(admin, storeId, begun) : begun;
      printResult(admin, options, replay, replayRecord);
    });

async function untilEnded(admin: Admin, storeId: string, begun: WebhookReplay): Promise<WebhookReplay> {
  const params = { endpointId: begun.endpoint_id, replayId: begun.id };
  const { signal, release } = admin.terminal.interruption();
  let replay = begun;
  try {
    while (replay.status === 'running' && !signal.aborted) {
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
      replay = await admin.platform.call(getWebhookReplay, { params }, storeId);
    }
  } finally {
    release();
  }
  return replay;
}

const replayRecord = (replay: WebhookReplay): string =>
  record({
    id: replay.id,
    status: replay.status,
    only: replay.only,
    from: replay.from_sequence,
    to: replay.to_sequence,
    types: replay.types === null ? 'those of the endpoint' : typesText(replay.types),
    'looked through': replay.looked_through,
    chosen: replay.deliveries.total,
    pending: replay.deliveries.pending,
    succeeded: replay.deliveries.succeeded,
    failed: replay.deliveries.failed,
    ended: replay.ended_at,
  });
