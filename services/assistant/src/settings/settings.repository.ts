import type { AssistantSettings } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { unmarkReached } from '../prices/model-day.repository.ts';

/** The settings of a store without a row. */
const defaultSettings: AssistantSettings = {
  ai: false,
  ai_quiet_seconds: 6,
  ai_max_wait_seconds: 30,
  ai_daily_calls: 500,
  ai_daily_budget: null,
};

const columns = (sql: Sql) =>
  sql`ai, ai_quiet_seconds, ai_max_wait_seconds, ai_daily_calls, ai_daily_budget::float8 as ai_daily_budget`;

/** The query for the settings of a store in which the AI is on, and since when. No row: it is off. */
export const findSettingsIfOn = (sql: Sql, storeId: string) =>
  sql<(AssistantSettings & { ai_since: Date | null })[]>`
    select ${columns(sql)}, ai_since from store_settings where store_id = ${storeId} and ai`;

export async function findSettings(sql: Sql, storeId: string): Promise<AssistantSettings> {
  const [row] = await sql<AssistantSettings[]>`select ${columns(sql)} from store_settings where store_id = ${storeId}`;
  return row ?? defaultSettings;
}

/** Writes the given members and returns all settings. With another budget, that of today is not used up. */
export async function saveSettings(
  sql: TransactionSql,
  storeId: string,
  changes: Partial<AssistantSettings>,
): Promise<AssistantSettings> {
  await sql`insert into store_settings (store_id) values (${storeId}) on conflict do nothing`;
  const [row] = await sql<[AssistantSettings]>`
    update store_settings
    set ${sql(changes)}, ai_since = case when ai or not ${changes.ai ?? false} then ai_since else clock_timestamp() end
    where store_id = ${storeId} returning ${columns(sql)}`;
  if (changes.ai_daily_calls !== undefined || changes.ai_daily_budget !== undefined) await unmarkReached(sql, storeId);
  return row;
}
