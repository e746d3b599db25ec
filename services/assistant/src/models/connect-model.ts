import { randomUUID } from 'node:crypto';
import type { connectModel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { checkAddress } from './check-address.ts';
import { sealCredentials } from './credentials.ts';
import { saveConnection, toConnection } from './model-connection.repository.ts';
import { connectionOf } from './requested-connection.ts';

export const connectModel =
  ({ database, vault, egress }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const wanted = connectionOf(body, egress);
    if (wanted.url !== null) await checkAddress(egress, storeId, wanted.url);
    const id = randomUUID();
    const sealed_credentials = body.secrets ? sealCredentials(vault, storeId, id, body.secrets) : null;
    return toConnection(
      await database.write(context, (sql) => saveConnection(sql, storeId, { id, ...wanted, sealed_credentials })),
    );
  };
