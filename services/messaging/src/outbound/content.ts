import type { TransactionSql } from '@mostrador/kit/database/database';
import type { AcceptingChannel } from '../channels/channel.repository.ts';
import { renderTemplate } from '../channels/render-template.ts';
import { requireTemplate } from '../templates/require-template.ts';
import type { OutboundRequest } from './outbound-request.ts';

/** What is stored of the message. A template whose text is not known has none. */
export async function contentOf(
  sql: TransactionSql,
  storeId: string,
  channel: AcceptingChannel,
  { body, template }: OutboundRequest,
): Promise<{ readonly body: string; readonly kind: 'text' | 'template' }> {
  if (body !== null || !template) return { body: body ?? '', kind: 'text' };
  if (!channel.has_templates) return { body: '', kind: 'template' };
  const known = await requireTemplate(sql, storeId, channel.id, template);
  return { body: renderTemplate(known, template.components), kind: 'template' };
}
