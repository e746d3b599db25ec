import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { ArrowUpRight, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ApiKey } from '../api/platform.ts';
import { keysQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice, Page } from '../ui/page.tsx';
import { CreateKey } from './create-key.tsx';
import { stateOf } from './key-state.ts';
import { KeyTable, KeyTableLoading } from './key-table.tsx';
import styles from './keys.module.css';

export const route = createLazyRoute('/shell/integrations/keys')({ component: Keys });

function Keys() {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const now = Date.now();
  const isActive = (key: ApiKey) => stateOf(key, now) === 'active';
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.key_create()}
    </Button>
  );
  const actions = (
    <>
      <a href="/docs" target="_blank" rel="noreferrer" className={styles.docs}>
        {m.keys_docs()}
        <ArrowUpRight size={14} aria-hidden />
      </a>
      {keys?.some(isActive) && create}
    </>
  );
  return (
    <Page title={m.keys()} about={m.keys_about()} actions={actions}>
      {keys ? (
        <Shown active={keys.filter(isActive)} ended={keys.filter((key) => !isActive(key))} now={now} create={create} />
      ) : error ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <KeyTableLoading />
      )}
      <CreateKey open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}

type ShownProps = {
  readonly active: readonly ApiKey[];
  readonly ended: readonly ApiKey[];
  readonly now: number;
  readonly create: ReactNode;
};

function Shown({ active, ended, now, create }: ShownProps) {
  const [showsEnded, setShowsEnded] = useState(false);
  const shown = showsEnded ? [...active, ...ended] : active;
  return (
    <>
      {active.length === 0 && (
        <Notice title={m.keys_empty_title()} text={m.keys_empty_text()}>
          {create}
        </Notice>
      )}
      {shown.length > 0 && <KeyTable keys={shown} now={now} />}
      {ended.length > 0 && (
        <div className={styles.more}>
          <Button kind="bare" aria-expanded={showsEnded} onClick={() => setShowsEnded(!showsEnded)}>
            {showsEnded ? m.key_hide_ended() : m.key_show_ended({ count: ended.length })}
          </Button>
        </div>
      )}
    </>
  );
}
