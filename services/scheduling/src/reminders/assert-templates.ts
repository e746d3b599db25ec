import { isDeepStrictEqual } from 'node:util';
import type { BookingReminder } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { findRules } from '../booking/rules.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertTemplate } from '../followups/check-template.ts';

/**
 * Throws what messaging says against a template of the reminders. Those that the rules have already are not asked about:
 * one that the channel has paused since must not keep the store from changing its hours.
 */
export async function assertTemplates(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  reminders: readonly BookingReminder[],
): Promise<void> {
  if (reminders.every(({ template }) => template === null)) return;
  const [rules] = await database.read(context, (sql) => findRules(sql, context.storeId));
  const isNew = ({ template }: BookingReminder) =>
    !rules?.reminders.some((each) => isDeepStrictEqual(each.template, template));
  await Promise.all(
    reminders.map((each, index) => isNew(each) && assertTemplate(rpc, context, each.template, `#/reminders/${index}`)),
  );
}
