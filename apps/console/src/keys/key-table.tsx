import { Ellipsis, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Moment } from '../ui/moment.tsx';
import { type Column, cellBadges, rowName, Table } from '../ui/table.tsx';
import { TwoLines } from '../ui/two-lines.tsx';
import { stateOf } from './key-state.ts';
import styles from './keys.module.css';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { wordsOfScopes } from './scopes.ts';

const shownScopes = 2;

const columnsAt = (now: number): readonly Column<ApiKey>[] => [
  {
    key: 'name',
    label: m.key_name(),
    wide: true,
    cell: ({ id, name }) => (
      <TwoLines below={<code>{id}</code>}>
        <span className={rowName}>{name}</span>
      </TwoLines>
    ),
  },
  { key: 'rights', label: m.key_rights(), cell: ({ scopes }) => <Rights rights={wordsOfScopes(scopes)} /> },
  { key: 'created', label: m.key_created(), cell: ({ created_at }) => <Moment at={created_at} /> },
  { key: 'creator', label: m.key_created_by(), cell: ({ created_by }) => <Creator by={created_by} /> },
  { key: 'expiry', label: m.key_expiry(), cell: (apiKey) => <Expiry apiKey={apiKey} now={now} /> },
  {
    key: 'used',
    label: m.key_last_used(),
    cell: ({ last_used_at }) =>
      last_used_at ? <Moment at={last_used_at} relative /> : <span className={styles.soft}>{m.key_not_used()}</span>,
  },
];

/** The keys of a store. Undefined: they are loaded. */
export const KeyTable = ({ keys, now }: { keys: readonly ApiKey[] | undefined; now: number }) => (
  <Table
    label={m.keys()}
    columns={columnsAt(now)}
    rows={keys}
    keyOf={({ id }) => id}
    actions={(key) => stateOf(key, now) === 'active' && <KeyActions apiKey={key} />}
  />
);

const Creator = ({ by }: { by: ApiKey['created_by'] }) => (
  <span className={by?.kind === 'user' ? undefined : styles.soft}>
    {by ? (by.kind === 'operator' ? m.team_operator() : (by.name ?? m.team_former())) : m.creator_unknown()}
  </span>
);

const Rights = ({ rights }: { rights: readonly string[] }) => (
  <span className={cellBadges} title={rights.join('\n')}>
    {rights.slice(0, shownScopes).map((right) => (
      <Badge key={right}>{right}</Badge>
    ))}
    {rights.length > shownScopes && (
      <span className={styles.soft}>{m.key_more_scopes({ count: rights.length - shownScopes })}</span>
    )}
  </span>
);

function Expiry({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const { expires_at, revoked_at } = apiKey;
  const state = stateOf(apiKey, now);
  if (state === 'active')
    return expires_at ? <Moment at={expires_at} /> : <span className={styles.soft}>{m.key_never()}</span>;
  return (
    <span className={styles.ended}>
      {state === 'revoked' ? m.key_revoked() : m.key_expired()}{' '}
      <Moment at={(revoked_at ?? expires_at) as string} relative />
    </span>
  );
}

function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const [asks, setAsks] = useState<'rotate' | 'revoke'>();
  const close = () => setAsks(undefined);
  return (
    <>
      <Menu
        trigger={
          <Button kind="bare" aria-label={m.key_actions({ name: apiKey.name })}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={<RefreshCw size={14} />} onClick={() => setAsks('rotate')}>
          {m.key_rotate()}
        </MenuItem>
        <MenuItem icon={<Trash2 size={14} />} danger onClick={() => setAsks('revoke')}>
          {m.key_revoke()}
        </MenuItem>
      </Menu>
      <RotateKey apiKey={apiKey} open={asks === 'rotate'} onClose={close} />
      <RevokeKey apiKey={apiKey} open={asks === 'revoke'} onClose={close} />
    </>
  );
}
