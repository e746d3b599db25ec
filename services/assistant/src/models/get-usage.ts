import { longestUsageDays, type getAiUsage as operation } from '@mostrador/contracts';
import { isDate } from '@mostrador/contracts/core';
import { dayMs } from '@mostrador/hours/local-days';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findUsage } from './usage.repository.ts';

const usualDays = 30;

export const getAiUsage =
  ({ database, prices }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const days = daysOf(query, new Date());
    const data = await database.lookUp(context, (sql) => findUsage(sql, context.storeId, days));
    return { ...days, currency: prices?.currency ?? null, data: [...data] };
  };

/** The days to show. Pure. @throws AppError `validation_failed` */
function daysOf(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: Date,
): { readonly from: string; readonly to: string } {
  const fault = (name: string, detail: string) => validationFailed([{ in: 'query', name, detail }]);
  for (const [name, day] of Object.entries({ from, to })) {
    if (day !== undefined && !isDate(day)) throw fault(name, 'must be a date that exists');
  }
  const today = dayOf(now);
  const last = to ?? (from !== undefined && from > today ? from : today);
  const first = from ?? dayOf(new Date(Date.parse(last) - (usualDays - 1) * dayMs));
  if (first > last) throw fault('from', 'must not be after `to`');
  if (Date.parse(last) - Date.parse(first) >= longestUsageDays * dayMs) {
    throw fault('from', `must be at most ${longestUsageDays - 1} days before \`to\``);
  }
  return { from: first, to: last };
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
