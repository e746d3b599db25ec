import { pauseEndpointsOfPerson } from '@mostrador/contracts';
import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { appendAudit } from '../audit/audit.repository.ts';
import { deleteEndpointPause, listEndpointPauses } from './endpoint-pause.repository.ts';

const atOnce = 100;
const limitMs = 5_000;

/**
 * Asks the events service to pause the endpoints of people who left, until it has. The request of the removal runs this,
 * and so does a periodic job, so a removal that the events service misses still pauses them.
 */
export async function pauseEndpoints({
  systemDatabase,
  rpc,
}: {
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
}): Promise<void> {
  const until = () => ({ deadline: Date.now() + limitMs });
  const pauses = await systemDatabase.read(until(), (sql) => listEndpointPauses(sql, atOnce));
  for (const {
    id,
    store_id: storeId,
    person_id,
    key_ids,
    actor_id: actorId,
    address,
    request_id: requestId,
  } of pauses) {
    const { paused } = await rpc.call(
      pauseEndpointsOfPerson,
      { body: { user_id: person_id, key_ids } },
      { ...until(), requestId, storeId },
    );
    await systemDatabase.write(until(), async (sql) => {
      if (!(await deleteEndpointPause(sql, id))) return;
      const client = address === null ? undefined : { address };
      await appendAudit(
        sql,
        { requestId, client },
        paused.map((subjectId) => ({ storeId, actorId, action: 'webhook.paused', subjectId })),
      );
    });
  }
}
