import { type LucideIcon, RefreshCw, Unplug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { StoreCalendar, StoreChannel } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { relativeTime } from '../ui/time.ts';
import styles from './connections.module.css';
import { wordsOfReason } from './reason-words.ts';

type Connection = Pick<StoreChannel | StoreCalendar, 'status' | 'reason'>;

const words: Record<Connection['status'], () => string> = {
  not_connected: m.connections_not_connected,
  connected: m.connections_connected,
  degraded: m.connections_degraded,
  needs_attention: m.connections_needs_attention,
};
const kinds = { not_connected: undefined, connected: 'good', degraded: 'warn', needs_attention: 'bad' } as const;

type Question = 'connect' | 'disconnect' | 'rotate';

type ConnectionCardProps = {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly about: string;
  readonly connection: Connection;
  /** How many wait for another attempt because their last one failed. */
  readonly failing?: number;
  readonly mayChange: boolean;
  /** The dialog that connects it. */
  readonly connect: (asked: { open: boolean; onClose: () => void }) => ReactNode;
  readonly disconnect: { readonly title: string; readonly about: string; readonly act: () => Promise<void> };
  /** Makes a new address for a connection whose address is its secret. */
  readonly rotate?: (() => Promise<void>) | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** One connection: whether it works, what to do when it does not, and how it is set up. */
export function ConnectionCard(props: ConnectionCardProps) {
  const { icon: Icon, title, about, connection, failing = 0, mayChange, actions, children } = props;
  const { connect, disconnect, rotate } = props;
  const [asks, setAsks] = useState<Question>();
  const question = (name: Question) => ({ open: asks === name, onClose: () => setAsks(undefined) });
  const { status, reason } = connection;
  const isConnected = status !== 'not_connected';
  // The first failures, before the provider counts as down.
  const isFailing = status === 'connected' && failing > 0;
  return (
    <section className={styles.card} aria-label={title}>
      <div className={styles.head}>
        <Icon size={18} strokeWidth={1.75} aria-hidden />
        <h2>{title}</h2>
        {isFailing ? (
          <Badge kind="warn">{m.connections_failing()}</Badge>
        ) : (
          <Badge kind={kinds[status]}>{words[status]()}</Badge>
        )}
      </div>
      <p className={styles.soft}>{about}</p>
      {reason && (
        <p className={styles.reason} data-kind={status === 'needs_attention' ? 'bad' : 'warn'}>
          {wordsOfReason(reason)}
          {reason.since && ` ${m.connections_since({ when: relativeTime(reason.since, Date.now()) })}`}
        </p>
      )}
      {isFailing && (
        <p className={styles.reason} data-kind="warn">
          {m.connections_failing_text({ count: failing })}
        </p>
      )}
      {children}
      <div className={styles.actions}>
        {actions}
        {mayChange && rotate && (
          <Button onClick={() => setAsks('rotate')}>
            <RefreshCw size={14} aria-hidden />
            {m.connections_rotate()}
          </Button>
        )}
        {mayChange && (
          <Button kind={isConnected ? 'plain' : 'main'} onClick={() => setAsks('connect')}>
            {isConnected ? m.connections_change() : m.connections_connect()}
          </Button>
        )}
        {mayChange && isConnected && (
          <Button kind="bare" onClick={() => setAsks('disconnect')}>
            <Unplug size={14} aria-hidden />
            {m.connections_disconnect()}
          </Button>
        )}
      </div>
      {!mayChange && <p className={styles.soft}>{m.connections_owner_only()}</p>}
      {connect(question('connect'))}
      <Confirm {...question('disconnect')} {...disconnect} action={m.connections_disconnect()} />
      {rotate && (
        <Confirm
          {...question('rotate')}
          title={m.connections_rotate_title()}
          about={m.connections_rotate_text()}
          action={m.connections_rotate()}
          kind="main"
          act={rotate}
        />
      )}
    </section>
  );
}
