import type { AssistantSettings } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** The settings of a store without a row. */
const defaultSettings: AssistantSettings = {
  ai: false,
  ai_quiet_seconds: 6,
  ai_max_wait_seconds: 30,
  ai_daily_calls: 500,
  ai_daily_budget: null,
  ai_daily_tokens: null,
  ai_confirm: [],
};

const columns = (sql: Sql) =>
  sql`ai, ai_quiet_seconds, ai_max_wait_seconds, ai_daily_calls, ai_daily_budget::float8 as ai_daily_budget,
    ai_daily_tokens, ai_confirm`;

/** The query for the settings of a store in which the AI is on, and since when. No row: it is off. */
export const findSettingsIfOn = (sql: Sql, storeId: string) =>
  sql<(AssistantSettings & { ai_since: Date | null })[]>`
    select ${columns(sql)}, ai_since from store_settings where store_id = ${storeId} and ai`;

export async function findSettings(sql: Sql, storeId: string): Promise<AssistantSettings> {
  const [row] = await sql<AssistantSettings[]>`select ${columns(sql)} from store_settings where store_id = ${storeId}`;
  return row ?? defaultSettings;
}

/** Writes the given members and returns all settings, and whether the day has other limits now. */
export async function writeSettings(
  sql: TransactionSql,
  storeId: string,
  changes: Partial<AssistantSettings>,
): Promise<{ readonly settings: AssistantSettings; readonly hasOtherLimits: boolean }> {
  await sql`insert into store_settings (store_id) values (${storeId}) on conflict do nothing`;
  const [{ has_other_limits, ...settings }] = await sql<[AssistantSettings & { has_other_limits: boolean }]>`
    update store_settings
    set ${sql(changes)}, ai_since = case when ai or not ${changes.ai ?? false} then ai_since else clock_timestamp() end
    where store_id = ${storeId} returning ${columns(sql)},
      (new.ai_daily_calls, new.ai_daily_budget, new.ai_daily_tokens)
        is distinct from (old.ai_daily_calls, old.ai_daily_budget, old.ai_daily_tokens) as has_other_limits`;
  return { settings, hasOtherLimits: has_other_limits };
}
