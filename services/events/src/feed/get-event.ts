import type { getEvent as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findEvent } from './event.repository.ts';
import { toEvent } from './event.ts';

export const getEvent =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findEvent(sql, context.storeId, params.eventId));
    if (!row) throw new AppError('event_not_found');
    return toEvent(row);
  };
