import { type Static, Type } from '@sinclair/typebox';
import { NullableString, OneOf } from './common.ts';
import { defineOperation } from './operation.ts';

export const channelProviders = ['whatsapp_cloud', 'sandbox'] as const;

export const ChannelConnection = Type.Object({
  provider: Type.Unsafe<(typeof channelProviders)[number] | null>({
    type: ['string', 'null'],
    enum: [...channelProviders, null],
  }),
  status: OneOf(['not_connected', 'connected', 'needs_attention']),
  phone: NullableString,
});
export type ChannelConnection = Static<typeof ChannelConnection>;

/** What `GET /store` shows of the channel. */
export const getChannelConnection = defineOperation({
  subject: 'messaging.internal.channels.get',
  summary: "Read the state of the store's messaging channel",
  request: {},
  reply: ChannelConnection,
});

export const messagingOperations = { getChannelConnection } as const;
