import { Ellipsis, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Moment } from '../ui/moment.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { stateOf } from './key-state.ts';
import styles from './keys.module.css';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { wordsOfScopes } from './scopes.ts';

const Head = () => (
  <thead>
    <tr>
      <th scope="col">{m.key_name()}</th>
      <th scope="col">{m.key_rights()}</th>
      <th scope="col">{m.key_created()}</th>
      <th scope="col">{m.key_expiry()}</th>
      <th scope="col">{m.key_last_used()}</th>
      <td />
    </tr>
  </thead>
);

export const KeyTable = ({ keys, now }: { keys: readonly ApiKey[]; now: number }) => (
  <table className={styles.table}>
    <Head />
    <tbody>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} now={now} />
      ))}
    </tbody>
  </table>
);

/** Has the height of three rows, so that nothing moves when the keys arrive. */
export const KeyTableLoading = () => (
  <table className={styles.table} aria-busy="true">
    <Head />
    <tbody>
      {[1, 2, 3].map((row) => (
        <tr key={row}>
          <th scope="row">
            <Skeleton width="long" />
          </th>
          {[1, 2, 3, 4].map((cell) => (
            <td key={cell}>
              <Skeleton width="short" />
            </td>
          ))}
          <td className={styles.actions} />
        </tr>
      ))}
    </tbody>
  </table>
);

const shownScopes = 2;

function KeyRow({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const { id, name, scopes, created_at, expires_at, revoked_at, last_used_at } = apiKey;
  const [asks, setAsks] = useState<'rotate' | 'revoke'>();
  const state = stateOf(apiKey, now);
  const rights = wordsOfScopes(scopes);
  return (
    <tr data-state={state}>
      <th scope="row">
        <span className={styles.name}>{name}</span>
        <code className={styles.id}>{id}</code>
      </th>
      <td data-label={m.key_rights()}>
        <span className={styles.rights} title={rights.join('\n')}>
          {rights.slice(0, shownScopes).map((right) => (
            <span key={right} className={styles.tag}>
              {right}
            </span>
          ))}
          {rights.length > shownScopes && (
            <span className={styles.soft}>{m.key_more_scopes({ count: rights.length - shownScopes })}</span>
          )}
        </span>
      </td>
      <td data-label={m.key_created()}>
        <Moment at={created_at} />
      </td>
      <td data-label={m.key_expiry()}>
        {state === 'active' ? (
          expires_at ? (
            <Moment at={expires_at} />
          ) : (
            <span className={styles.soft}>{m.key_never()}</span>
          )
        ) : (
          <span className={styles.ended}>
            {state === 'revoked' ? m.key_revoked() : m.key_expired()}{' '}
            <Moment at={(revoked_at ?? expires_at) as string} relative />
          </span>
        )}
      </td>
      <td data-label={m.key_last_used()}>
        {last_used_at ? <Moment at={last_used_at} relative /> : <span className={styles.soft}>{m.key_not_used()}</span>}
      </td>
      <td className={styles.actions}>
        {state === 'active' && (
          <>
            <Menu
              trigger={
                <Button kind="bare" aria-label={m.key_actions({ name })}>
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
            <RotateKey apiKey={apiKey} open={asks === 'rotate'} onClose={() => setAsks(undefined)} />
            <RevokeKey apiKey={apiKey} open={asks === 'revoke'} onClose={() => setAsks(undefined)} />
          </>
        )}
      </td>
    </tr>
  );
}
