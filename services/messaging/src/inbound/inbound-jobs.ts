import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { sendMissedInteractionCounts } from '../conversations/send-interaction-counts.ts';
import { sendOptOuts } from '../conversations/send-opt-outs.ts';
import { finishMerges } from '../merges/finish-merges.ts';
import { createInboundProcessor, type InboundProcessor } from './inbound-processor.ts';
import { type ProcessingTools, processInbound } from './process-inbound.ts';
import { purgeInbound } from './purge-inbound.ts';

/** Creates the background jobs of inbound messages. The processor is one of them. */
export function createInboundJobs(tools: ProcessingTools): { inbound: InboundProcessor; jobs: readonly Periodic[] } {
  const { systemDatabase, log } = tools;
  const inbound = createInboundProcessor({ log, process: (signal, turn) => processInbound(tools, signal, turn) });
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
  ];
  return { inbound, jobs };
}
