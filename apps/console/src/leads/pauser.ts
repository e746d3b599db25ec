import type { Lead } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

type Pauser = NonNullable<Lead['ai_paused_by']>;

const unnamed: Readonly<Record<Pauser['kind'], () => string>> = {
  user: m.leads_ai_paused_by_person,
  api_key: m.leads_ai_paused_by_key,
  phone: m.leads_ai_paused_by_phone,
  agent: m.leads_ai_paused_by_ai,
  system: m.leads_ai_paused_by_system,
};

/** Whether it is the channel's own agent, such as Meta Business Agent, and none of the store's. */
export const isOtherAgent = (by: Pick<Pauser, 'kind' | 'id'> | null | undefined): boolean =>
  by?.kind === 'agent' && by.id === null;

/** Who paused the AI. Undefined: it is not known. */
export function wordsOfPauser(by: Pauser | null | undefined): string | undefined {
  if (!by) return undefined;
  const { kind, name } = by;
  if (name !== null && kind === 'user') return m.leads_ai_paused_by_user({ name });
  if (isOtherAgent(by)) return m.leads_ai_paused_by_other();
  if (name !== null && kind === 'agent') return m.leads_ai_paused_by_agent({ name });
  return unnamed[kind]();
}
