import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { sendAiPauses } from '../conversations/send-ai-pauses.ts';
import { sendMissedInteractionCounts } from '../conversations/send-interaction-counts.ts';
import { sendOptOuts } from '../conversations/send-opt-outs.ts';
import { finishMerges } from '../merges/finish-merges.ts';
import { hasOpenPayload, type Lane } from './inbound.repository.ts';
import { createInboundProcessor, type InboundProcessor } from './inbound-processor.ts';
import { purgeKeptEffects } from './kept-effect.repository.ts';
import { type ProcessingTools, processInbound } from './process-inbound.ts';
import { purgeInbound } from './purge-inbound.ts';

/** The shortest time between two times that counts are told at once. */
const countsApartMs = 1_000;
const readLimitMs = 2_000;

/**
 * Creates the background jobs of inbound messages. The processor is one of them. It processes what the past brings beside
 * the rest.
 */
export function createInboundJobs(tools: ProcessingTools): {
  inbound: InboundProcessor;
  jobs: readonly Periodic[];
} {
  const { systemDatabase, log } = tools;
  const hasOpenIn = (lane: Lane) =>
    systemDatabase.read({ deadline: Date.now() + readLimitMs }, (sql) => hasOpenPayload(sql, lane));
  let countsToldMs = 0;
  // Crm gets the counts of a trickle together, and nothing waits for it. The periodic job tells what fails here.
  const tellCounts = (signal: AbortSignal) => {
    if (performance.now() < countsToldMs + countsApartMs) return;
    countsToldMs = performance.now();
    void sendMissedInteractionCounts(tools, signal).catch(() => {});
  };
  const history = createInboundProcessor({
    log,
    process: (signal, turn) => processInbound(tools, signal, turn, 'history'),
    hasOpen: () => hasOpenIn('history'),
  });
  const live = createInboundProcessor({
    log,
    process: async (signal, turn) => {
      if ((await processInbound(tools, signal, turn)) > 0) tellCounts(signal);
    },
    hasOpen: () => hasOpenIn('live'),
  });
  const inbound: InboundProcessor = {
    async ingest(work) {
      await live.ingest(work);
      history.expect();
    },
    start() {
      live.start();
      history.start();
    },
    stop: async () => void (await Promise.all([live.stop(), history.stop()])),
  };
  const jobs = [
    inbound,
    periodically({
      name: 'interaction counts',
      everyMs: 2_000,
      log,
      run: async (signal) => void (await sendMissedInteractionCounts(tools, signal)),
    }),
    periodically({
      name: 'opt-outs',
      everyMs: 2_000,
      log,
      run: async (signal) => void (await sendOptOuts(tools, signal)),
    }),
    periodically({
      name: 'pauses of the AI',
      everyMs: 1_000,
      log,
      run: async (signal) => void (await sendAiPauses(tools, signal)),
    }),
    periodically({
      name: 'merges after a changed number',
      everyMs: 5_000,
      log,
      run: async (signal) => void (await finishMerges(tools, signal)),
    }),
    periodically({
      name: 'purge of inbound payloads',
      everyMs: 10 * 60_000,
      log,
      run: async (signal) => void (await purgeInbound({ systemDatabase }, signal)),
    }),
    periodically({
      name: 'purge of what waits for leads',
      everyMs: 10 * 60_000,
      log,
      run: () => purgeKeptEffects(systemDatabase),
    }),
  ];
  return { inbound, jobs };
}
