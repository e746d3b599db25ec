import type { Sql } from '@mostrador/kit/database/database';

/**
 * A condition on events: the filters, a JSON array of `WebhookFilter` or null, have none of the event's type, or one of
 * these matches. An event that does not tell what changed passes.
 */
export const passesFilters = (sql: Sql, filters: ReturnType<Sql['unsafe']>) => {
  const ofType = sql`from jsonb_array_elements(${filters}) as chosen (filter) where filter ->> 'type' = type`;
  return sql`(
    previous is null or not exists (select ${ofType}) or exists (
      select ${ofType} and previous ? (filter ->> 'member')
        and (not filter ? 'value' or data -> 'object' -> (filter ->> 'member') = filter -> 'value')))`;
};
