import type { getFollowup as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findFollowup } from './followup.repository.ts';
import { followupEtag, toFollowup } from './followup.ts';

export const getFollowup =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findFollowup(sql, context.storeId, params.followupId));
    if (!row) throw new AppError('followup_not_found');
    return reply(toFollowup(row), { etag: followupEtag(row) });
  };
