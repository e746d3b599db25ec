import { type FeedType, feedCatalogue, feedDataSchema } from '@mostrador/contracts/feed-catalogue';
import { compile } from '@mostrador/kit/schema/compile';
import type { Sql } from 'postgres';

/** A public event that waits for delivery. */
export type FedEvent = {
  readonly type: FeedType;
  readonly entity_id: string;
  readonly data: Record<string, unknown> & { readonly object?: Record<string, unknown> | null };
};

/** The public events of a store that wait for delivery, in order. Throws when one is not what the catalogue says. */
export async function feedOf(sql: Sql, storeId: string): Promise<FedEvent[]> {
  const rows = await sql<(FedEvent & { readonly entity_type: string })[]>`
    select type, entity_type, entity_id, data from feed_entries where store_id = ${storeId} order by position`;
  return rows.map(({ type, entity_type, entity_id, data }) => {
    const { entity, ids, object } = feedCatalogue[type];
    const members = [...Object.keys(ids.properties), ...(object ? ['object'] : [])];
    const faults = dataFaults(type, data);
    if (faults.length > 0) throw new Error(`${type} is not as the catalogue says: ${JSON.stringify(faults)}`);
    if (entity !== entity_type) throw new Error(`${type} is about the entity ${entity_type}`);
    const others = Object.keys(data).filter((name) => !members.includes(name));
    if (others.length > 0) throw new Error(`${type} has unknown members: ${others}`);
    return { type, entity_id, data };
  });
}

const dataFaults = (type: FeedType, data: unknown) => compile(schemaOf(type))(structuredClone(data));

const schemas = new Map<FeedType, ReturnType<typeof feedDataSchema>>();
function schemaOf(type: FeedType) {
  const schema = schemas.get(type) ?? feedDataSchema(type);
  schemas.set(type, schema);
  return schema;
}
