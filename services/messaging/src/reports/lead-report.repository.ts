import type { Sql } from '@mostrador/kit/database/database';
import { type ConversationFacts, conversationFacts } from './conversation-counts.ts';

/** Counts a lead's facts from `from` (inclusive) to `to` (exclusive). Null means no limit. */
export async function countLeadFacts(
  sql: Sql,
  storeId: string,
  leadId: string,
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
): Promise<{ facts: ConversationFacts; lastInteractionAt: Date | null }> {
  const rows = await sql<{ metric: keyof ConversationFacts; amount: number; last_at: Date }[]>`
    select metric, sum(amount)::bigint as amount, max(at) as last_at from lead_report_facts
    where store_id = ${storeId} and lead_id = ${leadId}
      ${from ? sql`and at >= ${from}` : sql``} ${to ? sql`and at < ${to}` : sql``}
    group by metric`;
  const counted = new Map(rows.map(({ metric, amount }) => [metric, amount]));
  const interactions = rows
    .filter(({ metric }) => metric === 'messages_inbound' || metric.startsWith('outbound_'))
    .map(({ last_at }) => last_at.getTime());
  return {
    facts: Object.fromEntries(
      conversationFacts.map((metric) => [metric, counted.get(metric) ?? 0]),
    ) as ConversationFacts,
    lastInteractionAt: interactions.length > 0 ? new Date(Math.max(...interactions)) : null,
  };
}
