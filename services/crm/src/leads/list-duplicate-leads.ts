import type { listDuplicateLeads as operation } from '@mostrador/contracts';
import { canonicalPhone, phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { nationalMeaning } from '@mostrador/kit/phones/misread-phone';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listLeadsWithPhones, listPhonesAfter } from './duplicate-leads.repository.ts';
import { toLead } from './lead.ts';

/** The leads of one part. Each part costs one page of the index by id and one look-up of phones. */
const partSize = 1000;

export const listDuplicateLeads =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const { part, rows, misread } = await database.read(context, async (sql) => {
      const part = await listPhonesAfter(sql, storeId, body.after_id ?? null, partSize);
      const forms = part.map(({ customer_phone }) => phoneForms(customer_phone)).filter(({ length }) => length > 1);
      const national = misreadIn(part, body.country);
      const rows = await listLeadsWithPhones(sql, storeId, forms.flat());
      const misread = await listLeadsWithPhones(sql, storeId, [...national.keys()]);
      return { part, rows, misread: misread.map((row) => ({ row, national: national.get(row.customer_phone) ?? '' })) };
    });
    const now = new Date();
    const inPart = new Set(part.map(({ id }) => id));
    // A person belongs to the part that has the first of the leads, so that it is listed once.
    const duplicates = [...Map.groupBy(rows, ({ customer_phone }) => canonicalPhone(customer_phone)).values()]
      .filter((leads) => leads.length > 1 && inPart.has(leads[0]?.id ?? ''))
      .map((leads) => leads.map((row) => toLead(row, now)));
    return {
      duplicates,
      misread: misread.map(({ row, national }) => ({ lead: toLead(row, now), national })),
      next: part.length < partSize ? null : (part.at(-1)?.id ?? null),
    };
  };

/** The phones of the part that may be a national number of the country, each with that number. */
function misreadIn(part: readonly { customer_phone: string }[], country: string | undefined): Map<string, string> {
  const national = new Map<string, string>();
  if (country === undefined) return national;
  for (const { customer_phone } of part) {
    const meaning = nationalMeaning(customer_phone, country);
    if (meaning !== undefined) national.set(customer_phone, meaning);
  }
  return national;
}
