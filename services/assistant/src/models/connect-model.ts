import { randomUUID } from 'node:crypto';
import type { connectModel as operation } from '@mostrador/contracts';
import { AddressRefused } from '@mostrador/kit/clients/egress';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { sealCredentials } from './credentials.ts';
import { saveConnection, toConnection } from './model-connection.repository.ts';
import { connectionOf } from './requested-connection.ts';

/** A look-up that takes longer passes: every call checks the address again. */
const lookUpMs = 3_000;

export const connectModel =
  ({ database, vault, egress }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const wanted = connectionOf(body, egress);
    if (wanted.url !== null) {
      try {
        await egress.forStore(storeId).check(new URL(wanted.url), AbortSignal.timeout(lookUpMs));
      } catch (error) {
        if (!(error instanceof AddressRefused)) throw error;
        throw validationFailed([{ pointer: '#/url', detail: 'must not lead into a private network' }]);
      }
    }
    const id = randomUUID();
    const sealed_credentials = body.secrets ? sealCredentials(vault, storeId, id, body.secrets) : null;
    return toConnection(
      await database.write(context, (sql) => saveConnection(sql, storeId, { id, ...wanted, sealed_credentials })),
    );
  };
