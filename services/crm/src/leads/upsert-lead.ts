import { upsertLead as operation, type RequestOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { assertIfMatch, versionMismatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockSeller } from '../sellers/seller.repository.ts';
import { assertAssignable } from '../sellers/seller.ts';
import { insertNamed } from './insert-named.ts';
import { findLeadIdByPhone, lockLead } from './lead.repository.ts';
import { changeLead, isPhoneOf, type LeadRow, leadCreated, leadEtag, newLead, toLead } from './lead.ts';
import { saveChange } from './save-change.ts';
import { externalIdTaken, throwTaken } from './taken-lead.ts';

type Request = RequestOf<typeof operation>;
type Upserted = { readonly row: LeadRow; readonly created: boolean };

export const upsertLead =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params: { phone }, body }) => {
    const now = new Date();
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        // Every transaction locks the seller before the lead, so that two of them cannot deadlock.
        if (body.seller_id) assertAssignable(await lockSeller(sql, context.storeId, body.seller_id));
        return (await change(sql, context, phone, body)) ?? (await create(sql, context, phone, body));
      },
      toReply: ({ row, created }: Upserted) => ({ ...toLead(row, now), created }),
      etag: ({ row }) => leadEtag(row, now),
    }).catch((error: unknown) => throwTaken(dependencies.database, context, body, error));
  };

/** Changes the lead with the phone. Undefined if there is none. */
async function change(
  sql: TransactionSql,
  context: StoreContext,
  phone: string,
  body: Request['body'],
): Promise<Upserted | undefined> {
  const id = await findLeadIdByPhone(sql, context.storeId, phone);
  if (id === null) return undefined;
  const row = await lockLead(sql, context.storeId, id);
  // It has just got another phone, or was merged into another lead.
  if (row === null || !isPhoneOf(row, phone)) throw again();
  if (context.ifNoneMatch !== undefined) throw exists(id);
  assertIfMatch(context, row.version);
  const changed = changeLead(row, body);
  return { row: changed ? await saveChange(sql, row, changed) : row, created: false };
}

async function create(
  sql: TransactionSql,
  context: StoreContext,
  phone: string,
  body: Request['body'],
): Promise<Upserted> {
  const { storeId, ifMatch } = context;
  if (ifMatch !== undefined) throw versionMismatch();
  const { name } = body;
  if (name === undefined) throw validationFailed([{ pointer: '#/name', detail: 'is required to create the lead' }]);
  const row = await insertNamed(sql, storeId, newLead({ ...body, name, customer_phone: phone }));
  if (row) {
    await appendOutbox(sql, storeId, leadCreated(row));
    return { row, created: true };
  }
  // Another transaction was first, and has committed because the insertion waited for it.
  const known = await change(sql, context, phone, body);
  if (known) return known;
  throw (await externalIdTaken(sql, storeId, body.external_id)) ?? again();
}

const exists = (id: string) =>
  new AppError('version_mismatch', {
    detail: 'The store already has a lead with this phone, and `If-None-Match: *` only creates. Its id is in `id`.',
    members: { id },
  });

const again = () => new AppError('service_unavailable', { retryAfterSeconds: 1 });
