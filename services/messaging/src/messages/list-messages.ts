import { listMessages as operation } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { toListedMessage } from './listed-messages.ts';
import { countMessages, listMessages as listRows } from './message.repository.ts';
import type { MessageRow } from './message.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ number: Type.Integer({ minimum: 1 }) }),
  positionOf: ({ number }: MessageRow) => ({ number }),
  toAfter: ({ number }) => number,
});

export const listMessages =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, query }) => {
    const leadId = params.leadId.toLowerCase();
    const result = await readPage(dependencies.database, context, query, {
      filters: { leadId },
      list: (sql, page) => listRows(sql, context.storeId, leadId, page),
      count: (sql) => countMessages(sql, context.storeId, leadId),
      show: toListedMessage(),
      planning: { inIndexOrder: true },
    });
    if (result.body?.total === 0) await requireLead(dependencies, context, leadId);
    return result;
  };
