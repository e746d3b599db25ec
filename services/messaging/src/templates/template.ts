import type { Template } from '@mostrador/contracts';
import type { PublicEvent } from '@mostrador/kit/outbox/outbox';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { ProviderTemplate } from '../channels/provider-template.ts';

/** A template's row. */
export type TemplateRow = ProviderTemplate & { readonly id: string; readonly updated_at: Date };

export const toTemplate = ({ updated_at, ...row }: TemplateRow): Template => ({
  ...row,
  updated_at: toTimestamp(updated_at),
});

/** A template whose status changed. `previous_status`: null for a new one. */
export type ChangedTemplate = TemplateRow & { readonly previous_status: Template['status'] | null };

export const statusChanged = ({ previous_status, ...row }: ChangedTemplate): PublicEvent => {
  const { id, name, language, status } = row;
  const data = { template_id: id, name, language, status, previous_status };
  return { kind: 'feed', type: 'template.status_changed', entityId: id, etag: null, data, object: toTemplate(row) };
};
