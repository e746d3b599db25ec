import { useMutation, useQuery } from '@tanstack/react-query';
import type { Lead, Versioned } from '../api/platform.ts';
import { dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { CopyText, Facts } from '../ui/facts.tsx';
import { SelectField } from '../ui/field.tsx';
import { Moment } from '../ui/moment.tsx';
import { sayFailure, sayWithUndo } from '../ui/toasts.tsx';
import styles from './lead.module.css';
import { sellerChoices } from './lead-fields.tsx';
import { leadStatuses } from './lead-statuses.ts';
import { leadChanged, leadQuery, sellerChoicesQuery } from './queries.ts';
import { phoneOf, wordsOfStatus } from './words.ts';

type Quick = Partial<Pick<Lead, 'status' | 'seller_id'>>;

/** Changes the status or the seller at once, and offers to take it back. */
function useQuickChange(lead: Lead) {
  const { queryKey } = leadQuery(lead.id);
  const change = useMutation({
    mutationFn: (body: Quick) =>
      dataOf(platform.PATCH('/leads/{leadId}', { params: { path: { leadId: lead.id } }, body })),
    onMutate: async (body) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData<Versioned<Lead>>(queryKey);
      if (before) queries.setQueryData(queryKey, { ...before, data: { ...before.data, ...body } });
      return before;
    },
    onError: (error, _, before) => {
      if (before) queries.setQueryData(queryKey, before);
      sayFailure(error);
    },
    onSettled: () => leadChanged(lead.id),
  });
  return (body: Quick, before: Quick, said: string) =>
    change.mutate(body, { onSuccess: () => sayWithUndo(said, () => change.mutate(before)) });
}

/** What is known of the lead. Status and seller change here at once. */
export function LeadAbout({ lead }: { lead: Lead }) {
  const { data: sellers } = useQuery(sellerChoicesQuery);
  const change = useQuickChange(lead);
  const { status, seller_id } = lead;
  const choices = sellerChoices(sellers ?? [], seller_id);
  return (
    <aside className={styles.about} aria-label={m.leads_about_lead()}>
      <SelectField
        label={m.leads_status()}
        value={status}
        choices={leadStatuses.map((one) => [one, wordsOfStatus(one)] as const)}
        onChange={({ target }) => {
          const next = leadStatuses.find((one) => one === target.value);
          if (next) change({ status: next }, { status }, m.leads_status_is({ status: wordsOfStatus(next) }));
        }}
      />
      <SelectField
        label={m.leads_seller()}
        value={seller_id ?? ''}
        choices={choices}
        onChange={({ target }) => {
          const next = target.value || null;
          const name = choices.find(([id]) => id === target.value)?.[1] ?? '';
          change({ seller_id: next }, { seller_id }, next ? m.leads_seller_is({ name }) : m.leads_seller_none());
        }}
      />
      <Facts
        facts={[
          [m.leads_phone(), <CopyText key="phone" text={phoneOf(lead)} action={m.leads_copy_phone()} />],
          lead.email !== null && [m.leads_email(), lead.email],
          lead.tags.length > 0 && [
            m.leads_tags(),
            <span key="tags" className={styles.tags}>
              {lead.tags.map((tag) => (
                <Badge key={tag}>
                  <bdi>{tag}</bdi>
                </Badge>
              ))}
            </span>,
          ],
          lead.external_id !== null && [m.leads_external_id(), lead.external_id],
          lead.ai_paused_until !== null && [
            m.leads_ai_paused_until(),
            <Moment key="ai" at={lead.ai_paused_until} relative />,
          ],
          [m.leads_messages(), lead.interaction_count],
          [m.leads_created(), <Moment key="created" at={lead.created_at} />],
          [m.leads_updated(), <Moment key="updated" at={lead.updated_at} relative />],
          ...Object.entries(lead.metadata).map(([name, value]) => [name, value] as const),
        ]}
      />
    </aside>
  );
}
