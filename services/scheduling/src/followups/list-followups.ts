import { listFollowups as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listReader } from '../read-list.ts';
import { toFollowup } from './followup.ts';
import { followupList } from './followup-list.repository.ts';
import { filtersOf } from './followup-list.ts';

const readList = listReader({
  name: 'followups',
  column: 'due_at',
  defaultLimit: operation.request.query.properties.limit.default,
  statements: followupList,
  show: toFollowup,
});

export const listFollowups =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { query }) =>
    await readList(dependencies, context, query, filtersOf(query));
