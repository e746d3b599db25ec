import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ApiKey } from '../api/platform.ts';
import { keysQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { CreateKey } from './create-key.tsx';
import { stateOf } from './key-state.ts';
import { KeyTable } from './key-table.tsx';

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
      <DocsLink to="/docs">{m.keys_docs()}</DocsLink>
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
        <KeyTable keys={undefined} now={now} />
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
        <Empty icon={KeyRound} title={m.keys_empty_title()} text={m.keys_empty_text()}>
          {create}
        </Empty>
      )}
      {shown.length > 0 && <KeyTable keys={shown} now={now} />}
      {ended.length > 0 && (
        <div>
          <Button kind="bare" aria-expanded={showsEnded} onClick={() => setShowsEnded(!showsEnded)}>
            {showsEnded ? m.key_hide_ended() : m.key_show_ended({ count: ended.length })}
          </Button>
        </div>
      )}
    </>
  );
}
