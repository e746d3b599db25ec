import type { saveAiPauses as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { leadPaused } from './lead.ts';
import { lockLeads, saveAiPauses as save } from './lead-contact.repository.ts';

/** Skips what is older than what the lead has: messaging may send pauses twice and in any order. */
export const saveAiPauses =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    await database.write(context, async (sql) => {
      const rows = await lockLeads(
        sql,
        storeId,
        body.pauses.map(({ lead_id }) => lead_id),
      );
      const before = new Map(rows.map((row) => [row.id, row]));
      const news = body.pauses.filter(({ lead_id, version }) => {
        const known = before.get(lead_id);
        return known !== undefined && known.ai_pause_version < version;
      });
      if (news.length === 0) return;
      const saved = await save(sql, storeId, news);
      const facts = saved.flatMap((row) => {
        const earlier = before.get(row.id);
        return earlier ? [leadPaused(earlier, row)] : [];
      });
      await appendOutbox(sql, storeId, facts);
    });
    relay.nudge();
    return { done: true };
  };
