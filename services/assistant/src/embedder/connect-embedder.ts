import { randomUUID } from 'node:crypto';
import { type connectEmbedder as operation, setKnowledgeEmbedder } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { checkAddress } from '../models/check-address.ts';
import { sealEmbedderCredentials } from '../models/credentials.ts';
import { addressFaults } from '../models/requested-connection.ts';
import { lockEmbedder, saveEmbedder, toEmbedder } from './embedder.repository.ts';

/** A repeat finishes what a lost answer of crm left open. */
export const connectEmbedder =
  ({ database, vault, egress, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const { model, secrets } = body;
    const faults = addressFaults(body.url, egress);
    if (faults.length > 0) throw validationFailed(faults);
    const url = body.url.replace(/\/+$/, '');
    await checkAddress(egress, storeId, url);
    const newId = randomUUID();
    const row = await database.write(context, async (sql) => {
      const [before] = await lockEmbedder(sql, storeId);
      // With the same address and model the vectors stay: only the key is another one.
      const id = before?.url === url && before.model === model ? before.id : newId;
      const sealed_credentials = secrets ? sealEmbedderCredentials(vault, storeId, id, secrets) : null;
      return await saveEmbedder(sql, storeId, { id, url, model, sealed_credentials });
    });
    await rpc.call(setKnowledgeEmbedder, { body: { embedder_id: row.id } }, context);
    return toEmbedder(row);
  };
