import { isDeepStrictEqual } from 'node:util';
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

type Described = Pick<TemplateRow, 'rejected_reason' | 'category' | 'quality' | 'variables' | 'components'>;

/**
 * A template that changed. `previous_status`: null for a new one. `before`: what else the channel said of it; null for one
 * that is new or gone.
 */
export type ChangedTemplate = TemplateRow & {
  readonly previous_status: Template['status'] | null;
  readonly before: Described | null;
};

/** The events of a change: one of its status, and one of everything else. */
export const templateChanged = (changed: ChangedTemplate): PublicEvent[] => [
  ...(changed.status === changed.previous_status ? [] : [statusChanged(changed)]),
  ...(changed.before ? updated(changed, changed.before) : []),
];

function updated({ previous_status, before: _, ...row }: ChangedTemplate, before: Described): PublicEvent[] {
  const { id, name, language, status, rejected_reason, category, quality, variables, components } = row;
  // A reason comes and goes with the status.
  const compared = status === previous_status ? before : { ...before, rejected_reason };
  if (isDeepStrictEqual(compared, { rejected_reason, category, quality, variables, components })) return [];
  const data = { template_id: id, name, language };
  const shown = { object: toTemplate(row), before: toTemplate({ ...row, ...before }) };
  return [{ kind: 'feed', type: 'template.updated', entityId: id, etag: null, data, ...shown }];
}

const statusChanged = ({ previous_status, before: _, ...row }: ChangedTemplate): PublicEvent => {
  const { id, name, language, status } = row;
  const data = { template_id: id, name, language, status, previous_status };
  return { kind: 'feed', type: 'template.status_changed', entityId: id, etag: null, data, object: toTemplate(row) };
};
