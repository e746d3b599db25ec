import type { getDocument as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findDocument } from './document.repository.ts';
import { toDocument } from './document.ts';

export const getDocument =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findDocument(sql, context.storeId, params.documentId));
    if (!row) throw new AppError('document_not_found');
    return toDocument(row);
  };
