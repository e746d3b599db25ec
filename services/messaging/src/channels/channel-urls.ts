import type { ChannelRow } from './channel.repository.ts';

/** Where the provider reports what happens on a channel; the sandbox reports nothing. */
export const webhookUrl = (publicUrl: string, { id, provider }: Pick<ChannelRow, 'id' | 'provider'>): string | null =>
  provider === 'whatsapp_cloud' ? `${publicUrl}/channels/whatsapp/${id}/webhook` : null;

export const sandboxUrl = (publicUrl: string, token: string): string => `${publicUrl}/sandbox/${token}`;
