import { type Message, type OptOut, optOutScopes, readOptOut } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { InboundMessage, OptOutWish } from '../channels/channel-provider.ts';

/** A wish with when the lead had it, by the channel's clock, and how it said so. */
export type Wish = OptOutWish & { readonly at: Date; readonly source: OptOut['source'] };

/** The last wish of each scope, as the column has it. */
export type Wishes = Partial<Record<OptOut['scope'], Pick<Wish, 'want' | 'source'> & { readonly at: string }>>;

/** The columns of a conversation that say what its lead opted out of. */
export type OptOutColumns = {
  /** Null: the lead gets messages. */
  readonly opted_out_at: Date | null;
  readonly opt_out_wishes: Wishes | null;
};

/** What is saved. `optedOutAt` stays the moment when the lead opted out first. */
export type OptOutState = { readonly optedOut: boolean; readonly wishes: Wishes };

/**
 * The wishes after one more. The latest of each scope counts, by the channel's clock, in whatever order they come. Among
 * wishes of one second the one that comes last counts. A start word is about all messages, so it ends both scopes. What
 * resumes marketing messages ends only that one.
 */
export function withWish(columns: OptOutColumns, { want, scope, at, source }: Wish): OptOutState {
  const wishes = wishesOf(columns);
  const scopes = want === 'start' && scope === 'all' ? optOutScopes : [scope];
  // Channels tell whole seconds.
  const second = Math.floor(at.getTime() / 1000) * 1000;
  const isOutdated = (one: OptOut['scope']) => Date.parse(wishes[one]?.at ?? '') > second;
  const wish = { want, source, at: new Date(second).toISOString() };
  const news = Object.fromEntries(scopes.filter((one) => !isOutdated(one)).map((one) => [one, wish]));
  const next: Wishes = { ...wishes, ...news };
  return { optedOut: scopeOf(next) !== null, wishes: next };
}

/** Any wish that comes is later. */
const longAgo = new Date(0).toISOString();

/** The wishes of a row. An `opted_out_at` that was set or cleared without them rules. */
function wishesOf({ opted_out_at, opt_out_wishes }: OptOutColumns): Wishes {
  const wishes = opt_out_wishes ?? {};
  const isStopped = scopeOf(wishes) !== null;
  if (opted_out_at === null && isStopped) return {};
  if (opted_out_at === null || isStopped) return wishes;
  return { ...wishes, all: { want: 'stop', source: 'stop_word', at: longAgo } };
}

const scopeOf = (wishes: Wishes): OptOut['scope'] | null =>
  optOutScopes.find((one) => wishes[one]?.want === 'stop') ?? null;

/** What the lead opted out of. */
export function toOptOut(columns: OptOutColumns): OptOut | null {
  const wishes = wishesOf(columns);
  const scope = scopeOf(wishes);
  const wish = scope && wishes[scope];
  if (!scope || !wish || !columns.opted_out_at) return null;
  return { scope, source: wish.source, at: toTimestamp(columns.opted_out_at) };
}

/** The wishes of both leads of a merge: the latest of each scope. */
export function joinWishes(one: OptOutColumns, other: OptOutColumns): Wishes {
  const [a, b] = [wishesOf(one), wishesOf(other)];
  const later = (scope: OptOut['scope']) => {
    const stops = [a[scope], b[scope]].filter((wish) => wish?.want === 'stop');
    // An opt-out of either lead is one of the person.
    return stops[0] ?? a[scope] ?? b[scope];
  };
  const [all, marketing] = [later('all'), later('marketing')];
  return { ...(all && { all }), ...(marketing && { marketing }) };
}

/** What a message of the lead says about messages to it. */
export function wishIn({
  body,
  optOut,
  writtenAt: at,
}: Pick<InboundMessage, 'body' | 'optOut' | 'writtenAt'>): Wish | null {
  if (optOut) return { ...optOut, at, source: 'template_button' };
  const want = readOptOut(body);
  return want && { want, scope: 'all', at, source: 'stop_word' };
}

/** The entries of the events of a lead whose opt-out has changed. The feed shows no lead, because crm owns it. */
export function optOutEvents(lead_id: string, before: OptOut | null, after: OptOut | null): OutboxEntry[] {
  if (before?.scope === after?.scope) return [];
  const what = after ? 'opted_out' : 'opted_in';
  const notice: OutboxEntry = { kind: 'event', type: `messaging.lead.${what}`, data: { lead_id } };
  const about = { kind: 'feed', entityId: lead_id, etag: null, object: undefined } as const;
  if (!after) return [notice, { ...about, type: 'lead.opted_in', data: { lead_id } }];
  const { scope, source } = after;
  return [notice, { ...about, type: 'lead.opted_out', data: { lead_id, scope, source } }];
}

/**
 * Whether an opt-out stops messages of this source: those that no person writes, and those of the API if the store says
 * so.
 */
export const needsConsent = (source: Message['source'], optOutStopsApi = false): boolean =>
  source === 'ai' || source === 'followup' || (source === 'api' && optOutStopsApi);
