import { Bot, CalendarClock, type LucideIcon, Plug, UserRound } from 'lucide-react';
import type { Message, MessageSource } from '../api/platform.ts';
import { isOtherAgent } from '../leads/pauser.ts';
import { m } from '../paraglide/messages.js';

type FromStore = Exclude<MessageSource, 'lead'>;
/** Who writes for the store: a word and an icon each, because a colour alone is not enough. */
const sources: Readonly<Record<FromStore, { readonly icon: LucideIcon; readonly label: () => string }>> = {
  seller: { icon: UserRound, label: m.inbox_source_seller },
  ai: { icon: Bot, label: m.inbox_source_ai },
  followup: { icon: CalendarClock, label: m.inbox_source_followup },
  api: { icon: Plug, label: m.inbox_source_api },
};

export const labelOf = (source: FromStore): string => sources[source].label();

/** Who wrote a message, with their name where it is known. */
export function authorOf({ source, author }: Pick<Message, 'source' | 'author'>, leadName: string): string {
  if (source === 'lead') return leadName;
  if (isOtherAgent(author)) return m.inbox_author_other();
  const label = labelOf(source);
  if (author?.kind === 'phone') return m.inbox_author_phone({ label });
  return author?.name ? m.inbox_author_named({ label, name: author.name }) : label;
}

export function SourceIcon({ source, size = 12 }: { source: FromStore; size?: number }) {
  const { icon: Icon } = sources[source];
  return <Icon size={size} aria-hidden />;
}
