import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { PageStart } from '@mostrador/kit/database/paging';
import type { ProviderTemplate } from '../channels/provider-template.ts';
import type { ChangedTemplate, TemplateRow } from './template.ts';

const templateColumns = (sql: Sql, row = sql`templates`) => sql`
  ${row}.id, ${row}.name, ${row}.language, ${row}.status, ${row}.rejected_reason, ${row}.category, ${row}.quality,
  ${row}.variables, ${row}.components, ${row}.updated_at`;

/** Replaces the templates of the channel. Returns those that changed. The caller holds the lock of the channels. */
export async function replaceTemplates(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  templates: readonly ProviderTemplate[],
): Promise<ChangedTemplate[]> {
  // A template that moves between pages while they are read comes twice.
  const rows = [...new Map(templates.map((row) => [`${row.name} ${row.language}`, row])).values()];
  const incoming = sql`
    json_to_recordset(${sql.json(rows as never)}::json) as incoming (name text, language text, status text,
      rejected_reason text, category text, quality text, variables text, components jsonb)`;
  return await sql<ChangedTemplate[]>`
    with gone as (
      delete from templates t
      where t.store_id = ${storeId} and t.channel_id = ${channelId}
        and not exists (select from ${incoming} where incoming.name = t.name and incoming.language = t.language)
      returning t.*),
    saved as (
      insert into templates as t (store_id, channel_id, name, language, status, rejected_reason, category, quality,
        variables, components)
      select ${storeId}::uuid, ${channelId}::uuid, incoming.* from ${incoming}
      on conflict (store_id, name, language, channel_id) do update set
        status = excluded.status, rejected_reason = excluded.rejected_reason, category = excluded.category,
        quality = excluded.quality, variables = excluded.variables, components = excluded.components,
        updated_at = clock_timestamp()
      where (t.status, t.rejected_reason, t.category, t.quality, t.variables, t.components) is distinct from
        (excluded.status, excluded.rejected_reason, excluded.category, excluded.quality, excluded.variables,
          excluded.components)
      returning new.*, to_jsonb(old) as old)
    select ${templateColumns(sql, sql`saved`)}, saved.old ->> 'status' as previous_status,
      case when saved.old is not null then jsonb_build_object(
        'rejected_reason', saved.old -> 'rejected_reason', 'category', saved.old -> 'category',
        'quality', saved.old -> 'quality', 'variables', saved.old -> 'variables',
        'components', saved.old -> 'components') end as before
    from saved
    union all
    select gone.id, gone.name, gone.language, 'deleted', gone.rejected_reason, gone.category, gone.quality, gone.variables,
      gone.components, clock_timestamp()::timestamptz(3), gone.status, null from gone`;
}

/** Deletes the templates of channels that are no longer connected, or whose templates are not known any more. */
export async function forgetTemplates(sql: TransactionSql, storeId: string): Promise<void> {
  await sql`
    delete from templates t
    where t.store_id = ${storeId} and not exists (
      select from channels c
      where c.store_id = t.store_id and c.id = t.channel_id and c.disconnected_at is null
        and c.templates_synced_at is not null)`;
}

/** The templates of the channel with this name, one for each language. */
export const findTemplates = (sql: Sql, storeId: string, channelId: string, name: string) => sql<TemplateRow[]>`
  select ${templateColumns(sql)} from templates
  where store_id = ${storeId} and channel_id = ${channelId} and name = ${name} order by language`;

export type TemplateFilters = {
  readonly statuses: readonly string[];
  readonly name?: string | undefined;
  readonly language?: string | undefined;
};

const matching = (sql: Sql, storeId: string, { statuses, name, language }: TemplateFilters) => sql`
  store_id = ${storeId}
  ${statuses.length > 0 ? sql`and status = any(${[...statuses]}::text[])` : sql``}
  ${name === undefined ? sql`` : sql`and name = ${name}`}
  ${language === undefined ? sql`` : sql`and language = ${language}`}`;

/** A page of the store's templates, by name and language. */
export const listTemplates = (
  sql: Sql,
  storeId: string,
  filters: TemplateFilters,
  { start, limit }: { start: PageStart<{ readonly name: string; readonly language: string }>; limit: number },
) => sql<TemplateRow[]>`
  select ${templateColumns(sql)} from templates
  where ${matching(sql, storeId, filters)}
    ${'after' in start ? sql`and (name, language) > (${start.after.name}, ${start.after.language})` : sql``}
  order by name, language limit ${limit} offset ${'offset' in start ? start.offset : 0}`;

export async function countTemplates(sql: Sql, storeId: string, filters: TemplateFilters): Promise<number> {
  const [{ total }] = await sql<[{ total: number }]>`
    select count(*)::int as total from templates where ${matching(sql, storeId, filters)}`;
  return total;
}
