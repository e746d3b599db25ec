import { randomUUID } from 'node:crypto';
import type { connectModel as operation, RequestOf } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { checkAddress } from './check-address.ts';
import { sealCredentials } from './credentials.ts';
import { type ConnectionRow, saveConnection, toConnection } from './model-connection.repository.ts';
import { connectionOf } from './requested-connection.ts';
import { tryModel } from './try-model.ts';

export const connectModel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) =>
    toConnection(await connect(dependencies, context, body));

/** Tries a model, and connects it as the default of the store, in place of an earlier connection of its provider. */
export async function connect(
  { database, vault, egress, openModel }: Dependencies,
  context: StoreContext,
  body: RequestOf<typeof operation>['body'],
): Promise<ConnectionRow> {
  const { storeId } = context;
  const wanted = connectionOf(body, egress);
  if (wanted.url !== null) await checkAddress(egress, storeId, wanted.url);
  const id = randomUUID();
  const sealed_credentials = body.secrets ? sealCredentials(vault, storeId, id, body.secrets) : null;
  const connection = { id, ...wanted, sealed_credentials };
  await tryModel(openModel(storeId, connection), context.deadline);
  return await database.write(context, (sql) => saveConnection(sql, storeId, connection));
}
