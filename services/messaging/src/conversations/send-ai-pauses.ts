import { randomUUID } from 'node:crypto';
import { saveAiPauses } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findUnsentPauses, type UnsentPause } from './pause-report.repository.ts';
import { recordReported } from './reported.repository.ts';
import { sendMissed } from './send-missed.ts';

type Tools = Pick<Dependencies, 'database' | 'systemDatabase' | 'rpc'> & { readonly log: Log };

const limitMs = 5_000;

/** Sends crm the pauses of the AI that messages began, as `sendMissed` does. Repeats and any order are safe. */
export const sendAiPauses = ({ database, systemDatabase, rpc, log }: Tools, signal: AbortSignal): Promise<number> =>
  sendMissed(
    {
      systemDatabase,
      log,
      what: 'pauses of the AI',
      find: findUnsentPauses,
      async send(storeId, rows) {
        const scope = { storeId, deadline: Date.now() + limitMs };
        await rpc.call(saveAiPauses, { body: { pauses: rows.map(toTold) } }, { ...scope, requestId: randomUUID() });
        const versions = rows.map(({ lead_id, version }) => ({ lead_id, value: version }));
        await database.write(scope, (sql) => recordReported(sql, storeId, 'reported_pause_version', versions));
      },
    },
    signal,
  );

const toTold = ({ lead_id, ai_paused_until, ai_paused_by, version }: UnsentPause) => ({
  lead_id,
  ai_paused_until: ai_paused_until && toTimestamp(ai_paused_until),
  ai_paused_by,
  version,
});
