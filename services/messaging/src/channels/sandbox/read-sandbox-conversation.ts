import type { readSandboxConversation as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../../dependencies.ts';
import { findSandbox, listTelephoneMessages } from './sandbox.repository.ts';
import { hashSandboxToken } from './token.ts';

const mostShown = 200;

export const readSandboxConversation =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const sandbox = await systemDatabase.read(context, (sql) => findSandbox(sql, hashSandboxToken(body.token)));
    if (!sandbox) throw new AppError('sandbox_not_found');
    const { store_id: storeId, id: channelId, phone } = sandbox;
    const messages = await database.read({ storeId, deadline: context.deadline }, (sql) =>
      listTelephoneMessages(sql, storeId, { channelId, phone: body.customer_phone, limit: mostShown }),
    );
    return {
      store_phone: phone ?? '',
      messages: messages.map(({ at, ...message }) => ({ ...message, at: toTimestamp(at) })),
    };
  };
