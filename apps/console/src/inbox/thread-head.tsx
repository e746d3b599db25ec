import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import {
  ArrowLeft,
  BellOff,
  Bot,
  BotOff,
  CalendarPlus,
  CircleDot,
  Ellipsis,
  ExternalLink,
  SquareX,
  UserRound,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { dataOf, type Lead, type LeadStatus, platform } from '../api/platform.ts';
import { aiQuery, answersByAi, queries, sellersQuery } from '../api/queries.ts';
import { isOtherAgent, wordsOfPauser } from '../leads/pauser.ts';
import { sellerChoices } from '../leads/seller-choices.ts';
import { useLeadChange } from '../leads/use-lead-change.ts';
import { addressOf, leadStatuses, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { fullTime } from '../ui/time.ts';
import { say, sayFailure } from '../ui/toasts.tsx';
import { leadSessionsQuery, useInList, windowQuery } from './inbox-queries.ts';
import { pauses, untilOf } from './pause.ts';
import styles from './thread.module.css';

const BookLead = lazy(() => import('../calendar/book-lead.tsx').then(({ BookLead: Form }) => ({ default: Form })));

const leadPath: string = '/leads/$leadId';

/** Who the lead is, in what state, and what can be done about it. */
export function ThreadHead({ lead }: { lead: Lead }) {
  const { data: conversation } = useQuery(windowQuery(lead.id));
  const { data: sellers = [] } = useQuery(sellersQuery);
  const answers = answersByAi(useQuery(aiQuery).data);
  const change = useLeadChange(lead.id);
  // Undefined: not yet, so that its code is not loaded.
  const [isBooking, setBooking] = useState<boolean>();
  const zone = useZone();
  const sellersToChoose = sellerChoices(sellers, lead.seller_id);
  const nameOf = (id: string) => sellersToChoose.find(([choice]) => choice === id)?.[1] ?? '';
  const seller = lead.seller_id ?? '';
  const assign = (id: string) => {
    const words = id === '' ? m.inbox_was_unassigned() : m.inbox_was_assigned({ name: nameOf(id) });
    change({ seller_id: id || null }, { seller_id: lead.seller_id }, words);
  };
  const paused = lead.ai_paused_until;
  const pausedBy = wordsOfPauser(lead.ai_paused_by);
  const aboutPause = paused
    ? [pausedBy, m.inbox_ai_paused_until({ until: fullTime(paused, zone) })].filter(Boolean).join(' · ')
    : undefined;
  const pauseUntil = (until: string | null) =>
    change(
      { ai_paused_until: until },
      { ai_paused_until: paused },
      until === null ? m.inbox_ai_resumed() : m.inbox_ai_was_paused({ until: fullTime(until, zone) }),
    );
  const pauseItems = pauses.map(({ name, words }) => (
    <MenuItem key={name} icon={<BotOff size={14} />} onClick={() => pauseUntil(untilOf(name, Date.now(), zone))}>
      {words()}
    </MenuItem>
  ));
  return (
    <header className={styles.head}>
      <Link to="/inbox" search className={styles.back} aria-label={m.inbox_back()}>
        <ArrowLeft size={18} aria-hidden />
      </Link>
      <div className={styles.who}>
        <h2 className={styles.name} dir="auto">
          {lead.name}
        </h2>
        <p className={styles.phone}>
          <bdi>{addressOf(lead)}</bdi>
          {conversation?.opted_out_at && (
            <Badge
              kind="warn"
              icon={<BellOff size={12} aria-hidden />}
              title={fullTime(conversation.opted_out_at, zone)}
            >
              <span className={styles.badgeText}>
                {conversation.opt_out?.scope === 'marketing' ? m.inbox_opted_out_marketing() : m.inbox_opted_out()}
              </span>
            </Badge>
          )}
          {conversation?.held_by === 'other' && !(paused && isOtherAgent(lead.ai_paused_by)) && (
            <Badge icon={<BotOff size={12} aria-hidden />}>
              <span className={styles.badgeText}>{m.leads_ai_paused_by_other()}</span>
            </Badge>
          )}
          {paused && pausedBy && (
            <Badge icon={<BotOff size={12} aria-hidden />} title={aboutPause}>
              <span className={styles.badgeText}>{pausedBy}</span>
            </Badge>
          )}
        </p>
      </div>
      <div className={styles.actions}>
        <Button className={styles.action} onClick={() => setBooking(true)}>
          <CalendarPlus size={14} aria-hidden />
          <span>{m.inbox_book()}</span>
        </Button>
        {isBooking !== undefined && (
          <Suspense>
            <BookLead lead={lead} open={isBooking} onClose={() => setBooking(false)} />
          </Suspense>
        )}
        <Menu
          trigger={
            <Button aria-label={m.inbox_status_of({ status: wordsOfStatus(lead.status) })} className={styles.action}>
              <CircleDot size={14} aria-hidden />
              <span>{wordsOfStatus(lead.status)}</span>
            </Button>
          }
        >
          <MenuChoice<LeadStatus>
            label={m.leads_status()}
            value={lead.status}
            choices={leadStatuses.map((status) => [status, wordsOfStatus(status)] as const)}
            onChoose={(status) =>
              change({ status }, { status: lead.status }, m.inbox_status_changed({ status: wordsOfStatus(status) }))
            }
          />
        </Menu>
        <Menu
          trigger={
            <Button aria-label={m.inbox_seller_of({ name: nameOf(seller) })} className={styles.action}>
              <UserRound size={14} aria-hidden />
              <span dir="auto">{nameOf(seller)}</span>
            </Button>
          }
        >
          <MenuChoice label={m.inbox_assign()} value={seller} choices={sellersToChoose} onChoose={assign} />
        </Menu>
        {(paused || answers) && (
          <Menu
            trigger={
              <Button aria-label={paused ? m.inbox_ai_is_paused() : m.inbox_ai_answers()} className={styles.action}>
                {paused ? <BotOff size={14} aria-hidden /> : <Bot size={14} aria-hidden />}
                <span>{paused ? m.inbox_ai_off() : m.inbox_ai_on()}</span>
              </Button>
            }
          >
            {aboutPause && (
              <MenuGroup label={aboutPause}>
                <MenuItem icon={<Bot size={14} />} onClick={() => pauseUntil(null)}>
                  {m.inbox_ai_resume()}
                </MenuItem>
              </MenuGroup>
            )}
            {pauseItems}
          </Menu>
        )}
        <Menu
          trigger={
            <Button kind="bare" aria-label={m.inbox_more()}>
              <Ellipsis size={16} aria-hidden />
            </Button>
          }
        >
          <MenuItem
            icon={<ExternalLink size={14} />}
            render={<Link to={leadPath as LinkProps['to']} params={{ leadId: lead.id } as LinkProps['params']} />}
          >
            {m.inbox_open_lead()}
          </MenuItem>
          <CloseSession leadId={lead.id} />
          {!paused && !answers && (
            <>
              <MenuSeparator />
              {pauseItems}
            </>
          )}
        </Menu>
      </div>
    </header>
  );
}

/**
 * Takes the conversation off the list of those that wait for an answer. The next message opens a new session, so nothing is
 * lost. A session that has ended by itself can still be closed: its lead may wait.
 */
function CloseSession({ leadId }: { leadId: string }) {
  const { data: sessions = [] } = useQuery(leadSessionsQuery(leadId));
  const isUnanswered = useInList(leadId)?.unanswered ?? true;
  const last = sessions.at(-1);
  const isActive = last?.status === 'active';
  const close = useMutation({
    mutationFn: (sessionId: string) =>
      dataOf(platform.POST('/leads/{leadId}/sessions/{sessionId}/close', { params: { path: { leadId, sessionId } } })),
    onSuccess: () => {
      void queries.invalidateQueries(leadSessionsQuery(leadId));
      void queries.invalidateQueries({ queryKey: ['conversations'] });
      say(isActive ? m.inbox_session_closed() : m.inbox_settled());
    },
    onError: sayFailure,
  });
  if (!last || !(isActive || isUnanswered)) return null;
  return (
    <MenuItem icon={<SquareX size={14} />} onClick={() => close.mutate(last.id)}>
      {isActive ? m.inbox_close_session() : m.inbox_settle()}
    </MenuItem>
  );
}
