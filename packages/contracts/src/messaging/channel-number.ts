import { type Static, Type } from '@sinclair/typebox';
import { About, NullableString, OneOf, Timestamp } from '../core/common.ts';

/** The last one is a state that is newer than this server, or that the provider does not tell. */
export const numberStatuses = [
  'connected',
  'pending',
  'unverified',
  'flagged',
  'rate_limited',
  'restricted',
  'banned',
  'disconnected',
  'migrated',
  'deleted',
  'unknown',
] as const;

export const numberQualities = ['green', 'yellow', 'red', 'unknown'] as const;

export const numberSendings = ['available', 'limited', 'blocked', 'unknown'] as const;

export const numberNameStatuses = [
  'approved',
  'available_without_review',
  'pending_review',
  'declined',
  'expired',
  'none',
  'unknown',
] as const;

export const numberHealths = ['good', 'warned', 'blocked', 'unknown'] as const;

/** What the provider says of the number of a channel. */
export const ChannelNumberState = Type.Object(
  {
    health: OneOf(numberHealths, {
      title: 'NumberHealth',
      description:
        'What the other members come to. `warned`: the number sends, and the store has to act, because the quality is ' +
        '`red`, sending is `limited`, or the number is `flagged`, `rate_limited`, `pending` or `unverified`. `blocked`: ' +
        'it sends nothing.',
    }),
    status: OneOf(numberStatuses, { title: 'NumberStatus', description: 'The status of the number.' }),
    quality: OneOf(numberQualities, {
      title: 'NumberQuality',
      description: 'How customers take the messages of the last days. `red`: they block or report the number.',
    }),
    sending: OneOf(numberSendings, {
      title: 'NumberSending',
      description: 'Whether the number, its account, the business and the app may send.',
    }),
    messaging_limit: About(
      NullableString,
      'How many customers the store may write to first in 24 hours, in the channel’s word, such as `TIER_250`. Null: it ' +
        'does not say.',
    ),
    name: About(NullableString, 'The name that customers see. Null: the channel does not say.'),
    name_status: OneOf(numberNameStatuses, {
      title: 'NumberNameStatus',
      description: 'What the review of the name came to.',
    }),
  },
  { title: 'ChannelNumberState', description: 'What the channel says of the store’s number.' },
);
export type ChannelNumberState = Static<typeof ChannelNumberState>;

export const ChannelNumber = Type.Object(
  { ...ChannelNumberState.properties, checked_at: About(Timestamp, 'When the channel was asked last.') },
  { title: 'ChannelNumber', description: 'What the channel says of the store’s number, and when.' },
);
export type ChannelNumber = Static<typeof ChannelNumber>;
