import type { getService as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findService } from './service.repository.ts';
import { toService } from './service.ts';

export const getService =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findService(sql, context.storeId, params.serviceId));
    if (!row) throw new AppError('service_not_found');
    return reply(toService(row), { etag: etagOf(row.version) });
  };
