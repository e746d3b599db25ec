import { useQuery } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { CheckField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import styles from './team.module.css';

/** What a removal ends beside the person's ways in. */
export type Ends = { readonly revoke_keys: boolean; readonly pause_webhooks: boolean };

type CreationsProps = {
  readonly userId: string;
  readonly ends: Ends;
  readonly onChange: (ends: Ends) => void;
};

/** The valid API keys and the webhooks that a person created, and whether they end. Nothing, when there are none. */
export function Creations({ userId, ends, onChange }: CreationsProps) {
  const { data, error } = useQuery({
    queryKey: ['users', userId, 'creations'],
    queryFn: () => dataOf(platform.GET('/users/{userId}/creations', { params: { path: { userId } } })),
    staleTime: 0,
  });
  if (error) return <Bad>{m.team_creations_failed()}</Bad>;
  if (!data) return <Skeleton width="long" />;
  const { keys, webhook_endpoints } = data;
  return (
    <>
      {keys.length > 0 && (
        <CheckField
          label={m.team_revoke_keys()}
          hint={<Names names={keys.map(({ id, name }) => [id, name])} />}
          checked={ends.revoke_keys}
          onChange={({ currentTarget }) => onChange({ ...ends, revoke_keys: currentTarget.checked })}
        />
      )}
      {webhook_endpoints.length > 0 && (
        <CheckField
          label={m.team_pause_webhooks()}
          hint={<Names names={webhook_endpoints.map(({ id, url }) => [id, url])} />}
          checked={ends.pause_webhooks}
          onChange={({ currentTarget }) => onChange({ ...ends, pause_webhooks: currentTarget.checked })}
        />
      )}
    </>
  );
}

const Names = ({ names }: { names: readonly (readonly [id: string, name: string])[] }) => (
  <>
    {names.map(([id, name]) => (
      <span key={id} className={styles.creation}>
        {name}
      </span>
    ))}
  </>
);
