import type { MessagingSettings, RequestOf, updateMessagingSettings } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Static } from '@sinclair/typebox';

export type Settings = Required<Static<typeof MessagingSettings>>;

/** The settings of a store without a row. */
export const defaultSettings: Settings = {
  message_wait_seconds: 5,
  session_idle_hours: 24,
  opt_out_stops_api: true,
  ai_pause_minutes: 12 * 60,
  api_pauses_ai: false,
  monthly_budget: null,
};

export async function findSettings(sql: Sql, storeId: string): Promise<Settings> {
  const [row] = await sql<[Settings]>`${settingsOf(sql, storeId)}`;
  return row;
}

/** The query for the store's settings, with the defaults for what it has not set. It always has one row. */
export const settingsOf = (sql: Sql, storeId: string) => sql`
  select coalesce(saved.message_wait_seconds, ${defaultSettings.message_wait_seconds}::float8) as message_wait_seconds,
    coalesce(saved.session_idle_hours, ${defaultSettings.session_idle_hours}::float8) as session_idle_hours,
    coalesce(saved.opt_out_stops_api, ${defaultSettings.opt_out_stops_api}::boolean) as opt_out_stops_api,
    coalesce(saved.ai_pause_minutes, ${defaultSettings.ai_pause_minutes}::int) as ai_pause_minutes,
    coalesce(saved.api_pauses_ai, ${defaultSettings.api_pauses_ai}::boolean) as api_pauses_ai,
    saved.monthly_budget::float8 as monthly_budget
  from (values (1)) as one left join store_settings saved on saved.store_id = ${storeId}`;

/** Writes the given members and returns all settings. */
export async function saveSettings(
  sql: TransactionSql,
  storeId: string,
  changes: RequestOf<typeof updateMessagingSettings>['body'],
): Promise<Settings> {
  await sql`insert into store_settings ${sql({ store_id: storeId, ...changes })}
    on conflict (store_id) do update set ${sql({ ...changes })}`;
  return await findSettings(sql, storeId);
}

/** SQL expression: the store's `session_idle_hours`, or the default. */
export const idleHours = (sql: Sql, storeId: string) => sql`
  coalesce((select session_idle_hours from store_settings where store_id = ${storeId}),
           ${defaultSettings.session_idle_hours}::float8)`;

/** SQL expression: the store's `opt_out_stops_api`, or the default. */
export const optOutStopsApi = (sql: Sql, storeId: string) => sql`
  coalesce((select opt_out_stops_api from store_settings where store_id = ${storeId}),
           ${defaultSettings.opt_out_stops_api}::boolean)`;
