import { listTemplates as operation } from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countTemplates, listTemplates as listRows } from './template.repository.ts';
import { type TemplateRow, toTemplate } from './template.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ name: Type.String(), language: Type.String() }),
  positionOf: ({ name, language }: TemplateRow) => ({ name, language }),
  toAfter: (position) => position,
});

export const listTemplates =
  ({ database }: Dependencies): Handler<typeof operation> =>
  (context, { query: { status, name, language, ...page } }) => {
    const filters = { statuses: [...valuesOf(status)], name, language };
    return readPage(database, context, page, {
      filters,
      list: (sql, at) => listRows(sql, context.storeId, filters, at),
      count: (sql) => countTemplates(sql, context.storeId, filters),
      show: toTemplate,
    });
  };
