import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Lead } from '../api/platform.ts';
import { sellersQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { CopyText, Facts } from '../ui/facts.tsx';
import { SelectField } from '../ui/field.tsx';
import { Moment } from '../ui/moment.tsx';
import styles from './lead.module.css';
import { wordsOfPauser } from './pauser.ts';
import { sellerChoices } from './seller-choices.ts';
import { useLeadChange } from './use-lead-change.ts';
import { leadStatuses, phoneOf, wordsOfStatus } from './words.ts';

/** What is known of the lead. Status and seller change here at once. */
export function LeadAbout({ lead }: { lead: Lead }) {
  const { data: sellers } = useQuery(sellersQuery);
  const change = useLeadChange(lead.id);
  const { status, seller_id } = lead;
  const pausedBy = wordsOfPauser(lead.ai_paused_by);
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
          [
            m.leads_phone(),
            phoneOf(lead) ? (
              <CopyText key="phone" text={phoneOf(lead)} action={m.leads_copy_phone()} />
            ) : (
              m.leads_no_phone()
            ),
          ],
          lead.username != null && [m.leads_username(), <bdi key="username">@{lead.username}</bdi>],
          lead.previous_lead_id != null && [
            m.leads_new_start(),
            <Link key="previous" to="/leads/$leadId" params={{ leadId: lead.previous_lead_id }}>
              {m.leads_previous_lead()}
            </Link>,
          ],
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
          pausedBy !== undefined && [m.leads_ai_paused_by(), pausedBy],
          [m.leads_messages(), lead.interaction_count],
          [m.leads_created(), <Moment key="created" at={lead.created_at} />],
          [m.leads_updated(), <Moment key="updated" at={lead.updated_at} relative />],
          ...Object.entries(lead.metadata).map(([name, value]) => [name, value] as const),
        ]}
      />
    </aside>
  );
}
