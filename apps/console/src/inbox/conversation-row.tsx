import { Link } from '@tanstack/react-router';
import { BellOff, BotOff, CircleAlert, CircleHelp, CornerDownLeft } from 'lucide-react';
import type { Conversation } from '../api/platform.ts';
import { wordsOfPauser } from '../leads/pauser.ts';
import { m } from '../paraglide/messages.js';
import { initialsOf } from '../shell/person-menu.tsx';
import { Badge, Count } from '../ui/badge.tsx';
import { plural } from '../ui/plural.ts';
import { useZone } from '../ui/store-zone.tsx';
import { fullTime, shortMoment, waitingTime } from '../ui/time.ts';
import { useNow } from '../ui/use-now.ts';
import type { Filters } from './filters.ts';
import styles from './inbox.module.css';
import { previewOf } from './message-words.ts';
import { labelOf, SourceIcon } from './source.tsx';

type ConversationRowProps = {
  readonly conversation: Conversation;
  readonly filters: Filters;
  readonly isOpen: boolean;
  /** The one row that Tab reaches. Keys move between the rows. */
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
};

export function ConversationRow({ conversation, filters, isOpen, isTabStop, onFocus }: ConversationRowProps) {
  const {
    lead,
    last_message,
    unread_count,
    unanswered,
    waiting_since,
    needs_attention,
    opted_out_at,
    last_activity_at,
  } = conversation;
  const { source, status } = last_message;
  const zone = useZone();
  const now = useNow();
  const pausedBy = wordsOfPauser(lead.ai_paused_by);
  const paused = [m.inbox_ai_paused(), pausedBy].filter((words) => words !== undefined).join(' · ');
  return (
    <Link
      to="/inbox/$leadId"
      params={{ leadId: lead.id }}
      search={filters}
      className={styles.item}
      data-lead={lead.id}
      data-unread={unread_count > 0 || undefined}
      aria-current={isOpen ? 'true' : undefined}
      tabIndex={isTabStop ? 0 : -1}
      preload={false}
      onFocus={onFocus}
    >
      <span className={styles.avatar} aria-hidden>
        {initialsOf(lead.name)}
      </span>
      <span className={styles.itemName} dir="auto">
        {lead.name}
      </span>
      {filters.unanswered && waiting_since ? (
        <Wait since={waiting_since} />
      ) : (
        <time className={styles.itemTime} dateTime={last_activity_at} title={fullTime(last_activity_at, zone)}>
          {shortMoment(last_activity_at, now, zone)}
        </time>
      )}
      <span className={styles.itemLine}>
        {source !== 'lead' && (
          <span className={styles.itemSource} data-source={source} title={labelOf(source)}>
            <SourceIcon source={source} />
            <span className={styles.heard}>{labelOf(source)}:</span>
          </span>
        )}
        <span className={styles.itemText} dir="auto">
          {previewOf(last_message)}
        </span>
      </span>
      <span className={styles.itemMarks}>
        {opted_out_at && <BellOff size={13} role="img" aria-label={m.inbox_opted_out()} />}
        {lead.ai_paused_until && (
          <span title={pausedBy}>
            <BotOff size={13} role="img" aria-label={paused} />
          </span>
        )}
        {needs_attention && (
          <Badge
            kind="bad"
            icon={status === 'unknown' ? <CircleHelp size={12} aria-hidden /> : <CircleAlert size={12} aria-hidden />}
          >
            {status === 'unknown' ? m.inbox_mark_unknown() : m.inbox_mark_failed()}
          </Badge>
        )}
        {unread_count > 0 ? (
          <Count count={unread_count} label={plural(unread_count, m.inbox_unread_one, m.inbox_unread_count)} />
        ) : (
          unanswered && <CornerDownLeft size={13} role="img" aria-label={m.inbox_unanswered()} />
        )}
      </span>
    </Link>
  );
}

function Wait({ since }: { readonly since: string }) {
  const time = waitingTime(since, useNow());
  return (
    <time className={styles.itemTime} dateTime={since} title={fullTime(since, useZone())}>
      {m.inbox_waits({ time })}
    </time>
  );
}
