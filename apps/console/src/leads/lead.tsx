import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useParams } from '@tanstack/react-router';
import { CalendarPlus, Clock, MessageSquare, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Failure } from '../api/failure.ts';
import type { Lead as LeadData, Versioned } from '../api/platform.ts';
import { BookLead } from '../calendar/book-lead.tsx';
import { NewFollowup } from '../followups/followup-form.tsx';
import { m } from '../paraglide/messages.js';
import { BackLink } from '../ui/back-link.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice, Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { EditLead } from './edit-lead.tsx';
import styles from './lead.module.css';
import { LeadAbout } from './lead-about.tsx';
import { LeadTimeline } from './lead-timeline.tsx';
import { leadQuery } from './queries.ts';
import { addressOf } from './words.ts';

export const route = createLazyRoute('/shell/leads/$leadId')({ component: Lead });

const Back = () => <BackLink to="/leads">{m.leads()}</BackLink>;

function Lead() {
  const { leadId } = useParams({ from: '/shell/leads/$leadId' });
  const { data: read, error, refetch } = useQuery(leadQuery(leadId));
  if (!read) {
    const isGone = error instanceof Failure && error.code === 'lead_not_found';
    return (
      <Page title={m.leads_lead()} about={m.leads_lead_about()} above={<Back />}>
        {isGone ? (
          <Notice title={m.leads_gone_title()} text={m.leads_gone_text()} />
        ) : error ? (
          <LoadFailed error={error} retry={refetch} />
        ) : (
          <div className={styles.two} aria-busy="true">
            <Skeleton width="long" />
            <Skeleton width="full" />
          </div>
        )}
      </Page>
    );
  }
  return (
    <Page title={read.data.name} about={addressOf(read.data)} above={<Back />} actions={<Actions read={read} />}>
      <div className={styles.two}>
        <LeadTimeline lead={read.data} />
        <LeadAbout lead={read.data} />
      </div>
    </Page>
  );
}

function Actions({ read }: { read: Versioned<LeadData> }) {
  const [asks, setAsks] = useState<'edit' | 'appointment' | 'followup'>();
  const close = () => setAsks(undefined);
  const { id } = read.data;
  return (
    <>
      <Link to="/inbox/$leadId" params={{ leadId: id }} {...buttonLook('main')}>
        <MessageSquare size={14} aria-hidden />
        {m.leads_write()}
      </Link>
      <Button onClick={() => setAsks('appointment')}>
        <CalendarPlus size={14} aria-hidden />
        {m.leads_new_appointment()}
      </Button>
      <Button onClick={() => setAsks('followup')}>
        <Clock size={14} aria-hidden />
        {m.leads_new_followup()}
      </Button>
      <Button onClick={() => setAsks('edit')}>
        <Pencil size={14} aria-hidden />
        {m.leads_edit()}
      </Button>
      <EditLead read={read} open={asks === 'edit'} onClose={close} />
      <BookLead lead={read.data} open={asks === 'appointment'} onClose={close} />
      <NewFollowup lead={read.data} open={asks === 'followup'} onClose={close} />
    </>
  );
}
