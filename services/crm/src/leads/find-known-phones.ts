import type { findKnownPhones as operation } from '@mostrador/contracts';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listSellersWithPhones } from '../sellers/seller.repository.ts';
import { listLeadIdsWithPhones } from './lead.repository.ts';

export const findKnownPhones =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { of, phones, own_id } }) => {
    const list = of === 'leads' ? listLeadIdsWithPhones : listSellersWithPhones;
    const found = await database.read(context, (sql) => list(sql, context.storeId, phones.flatMap(phoneForms)));
    const own = found.filter(({ id }) => id === own_id?.toLowerCase());
    const having = new Set((own.length > 0 ? own : found).map(({ phone }) => phone));
    return { known: phones.filter((phone) => phoneForms(phone).some((form) => having.has(form))) };
  };
