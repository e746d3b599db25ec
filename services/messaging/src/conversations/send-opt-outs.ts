import { randomUUID } from 'node:crypto';
import { saveOptOuts } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findUnsentOptOuts, type UnsentOptOut } from './opt-out-report.repository.ts';
import { recordReported } from './reported.repository.ts';
import { sendMissed } from './send-missed.ts';

type Tools = Pick<Dependencies, 'database' | 'systemDatabase' | 'rpc'> & { readonly log: Log };

const limitMs = 5_000;

/** Sends crm the opt-outs that changed, for its list of leads, as `sendMissed` does. Repeats and any order are safe. */
export const sendOptOuts = ({ database, systemDatabase, rpc, log }: Tools, signal: AbortSignal): Promise<number> =>
  sendMissed(
    {
      systemDatabase,
      log,
      what: 'opt-outs',
      find: findUnsentOptOuts,
      async send(storeId, rows) {
        const scope = { storeId, deadline: Date.now() + limitMs };
        await rpc.call(saveOptOuts, { body: { opt_outs: rows.map(toTold) } }, { ...scope, requestId: randomUUID() });
        const versions = rows.map(({ lead_id, version }) => ({ lead_id, value: version }));
        await database.write(scope, (sql) => recordReported(sql, storeId, 'reported_opt_out_version', versions));
      },
    },
    signal,
  );

const toTold = ({ lead_id, opted_out_at, version }: UnsentOptOut) => ({
  lead_id,
  opted_out_at: opted_out_at && toTimestamp(opted_out_at),
  version,
});
