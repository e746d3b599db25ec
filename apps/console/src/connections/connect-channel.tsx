import { useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { type ConnectStoreChannel, dataOf, platform, type StoreChannel } from '../api/platform.ts';
import { keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { TextField } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';
import { type Asked, ConnectDialog, type TextOf } from './connect-dialog.tsx';
import { channelQuery } from './queries.ts';

type Provider = NonNullable<StoreChannel['provider']>;

/** Connects a channel. Its secrets are kept sealed and never shown again. */
export function ConnectChannel({ channel, ...asked }: Asked & { readonly channel: StoreChannel }) {
  const [provider, setProvider] = useState<Provider>(channel.provider ?? 'whatsapp_cloud');
  const connect = async (of: TextOf) => {
    const connected = await dataOf(platform.PUT('/channel', { body: bodyOf(provider, of) }));
    await keep(channelQuery, connected);
    say(m.connections_channel_was_connected());
  };
  return (
    <ConnectDialog
      {...asked}
      title={m.connections_channel_title()}
      provider={provider}
      providers={[
        ['whatsapp_cloud', m.connections_whatsapp()],
        ['sandbox', m.connections_sandbox()],
      ]}
      onProvider={setProvider}
      hint={provider === 'sandbox' ? m.connections_sandbox_hint() : m.connections_whatsapp_hint()}
      needed={provider === 'whatsapp_cloud' ? whatsappFields : []}
      connect={connect}
      action={m.connections_connect()}
      wordsOf={wordsOutsideFields}
    >
      {({ field, part, secret }) =>
        provider === 'whatsapp_cloud' && (
          <>
            <TextField
              label={m.connections_phone()}
              hint={m.connections_phone_hint()}
              type="tel"
              defaultValue={channel.phone ? `+${channel.phone}` : ''}
              {...field('phone')}
            />
            <TextField
              label={m.connections_number_id()}
              hint={m.connections_number_id_hint()}
              inputMode="numeric"
              defaultValue={channel.phone_number_id ?? ''}
              {...field('phone_number_id')}
            />
            <TextField
              label={m.connections_account_id()}
              hint={m.connections_account_id_hint()}
              inputMode="numeric"
              defaultValue={channel.business_account_id ?? ''}
              {...field('business_account_id')}
            />
            <TextField
              label={m.connections_access_token()}
              hint={m.connections_access_token_hint()}
              {...secret('access_token')}
            />
            <TextField
              label={m.connections_app_secret()}
              hint={m.connections_app_secret_hint()}
              {...secret('app_secret')}
            />
            <TextField
              label={m.connections_verify_token()}
              hint={m.connections_verify_token_hint()}
              {...part('verify_token')}
            />
          </>
        )
      }
    </ConnectDialog>
  );
}

function bodyOf(provider: Provider, of: TextOf): ConnectStoreChannel {
  if (provider === 'sandbox') return { provider };
  const [phone, phone_number_id] = [withoutSeparators(of('phone')), of('phone_number_id')];
  const business_account_id = of('business_account_id');
  const [access_token, app_secret, verify_token] = [of('access_token'), of('app_secret'), of('verify_token')];
  return {
    ...{ provider, phone, phone_number_id, secrets: { access_token, app_secret, verify_token } },
    ...(business_account_id && { business_account_id }),
  };
}

const wordsOutsideFields = (error: unknown): string | undefined =>
  ['#/phone', '#/secrets'].some((pointer) => faultOf(error, pointer)) ? undefined : wordsOf(error);

/** Only behind a plus sign. The API rejects others, because a national number without them may be a foreign one. */
const withoutSeparators = (phone: string): string => (phone.startsWith('+') ? phone.replace(/[\s().+-]/g, '') : phone);

const whatsappFields = ['phone', 'phone_number_id', 'access_token', 'app_secret', 'verify_token'] as const;
