import { useQuery } from '@tanstack/react-query';
import type { WebhookEndpoint } from '../api/platform.ts';
import { keysQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { peopleQuery } from '../team/queries.ts';

/** Who created an endpoint, in words. Only an owner may read whose key it was. */
export function useCreator(by: WebhookEndpoint['created_by']): string {
  const { data: session } = useQuery(sessionQuery);
  const { data: people = [] } = useQuery({ ...peopleQuery, enabled: by?.kind === 'user' });
  const { data: keys = [] } = useQuery({ ...keysQuery, enabled: by?.kind === 'api_key' && session?.role === 'owner' });
  if (!by) return m.creator_unknown();
  if (by.kind === 'operator') return m.team_operator();
  if (by.kind === 'user') return people.find(({ id }) => id === by.id)?.name ?? m.team_former();
  const key = keys.find(({ id }) => id === by.id);
  const name = key?.name ?? by.id ?? '';
  const person = key?.created_by?.name;
  return person ? m.creator_key_of({ name, person }) : m.creator_key({ name });
}
