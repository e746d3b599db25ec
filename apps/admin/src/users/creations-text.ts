import type { ReplyOf, removeUser } from '@mostrador/contracts';
import { stateOf } from '../keys/list-keys.ts';
import { shown, table } from '../terminal.ts';

type Creations = Pick<ReplyOf<typeof removeUser>, 'keys' | 'webhook_endpoints'>;

/** The options of the commands after which a person has no way in. */
export const endsOptions = [
  ['--revoke-keys', 'also revoke the API keys that the person created'],
  ['--pause-webhooks', 'also pause the webhook endpoints that the person, or one of these keys, created'],
] as const;
export type EndsOptions = { revokeKeys?: boolean; pauseWebhooks?: boolean };

export const endsOf = ({ revokeKeys, pauseWebhooks }: EndsOptions) => ({
  ...(revokeKeys && { revoke_keys: true }),
  ...(pauseWebhooks && { pause_webhooks: true }),
});

/** What the person created, which goes on working unless it was ended. */
export function creationsText({ keys = [], webhook_endpoints: endpoints = [] }: Creations): string {
  const parts: string[] = [];
  if (keys.length > 0) {
    const rows = keys.map((key) => [key.id, shown(key.name), stateOf(key), key.store_id]);
    parts.push(`API keys that this person created:\n${table(['ID', 'NAME', 'STATE', 'STORE'], rows)}`);
  }
  if (endpoints === null) {
    parts.push('The events service does not answer. `webhook list` shows which webhook endpoints this person created.');
  } else if (endpoints.length > 0) {
    const rows = endpoints.map(({ id, status, store_id, url }) => [id, status, store_id, shown(url)]);
    parts.push(`Webhook endpoints of this person:\n${table(['ID', 'STATUS', 'STORE', 'URL'], rows)}`);
  }
  return parts.map((part) => `\n\n${part}`).join('');
}
