import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { type ConnectStoreChannel, dataOf, platform, type StoreChannel } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { connectFields } from './connect-fields.ts';
import { channelQuery } from './queries.ts';

type Provider = NonNullable<StoreChannel['provider']>;
type ConnectChannelProps = {
  readonly channel: StoreChannel;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Asks which channel, and for what it needs. Its secrets are kept sealed and never shown again. */
export function ConnectChannel({ channel, open, onClose }: ConnectChannelProps) {
  const select = useRef<HTMLSelectElement>(null);
  const [provider, setProvider] = useState<Provider>(channel.provider ?? 'whatsapp_cloud');
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const connect = useMutation({
    mutationFn: (body: ConnectStoreChannel) => dataOf(platform.PUT('/channel', { body })),
    onSuccess: (connected) => {
      queries.setQueryData(channelQuery.queryKey, connected);
      say(m.connections_channel_was_connected());
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const of = (name: string) => String(form.get(name) ?? '').trim();
    const needed = provider === 'whatsapp_cloud' ? whatsappFields : [];
    const left = new Set<string>(needed.filter((name) => of(name) === ''));
    setMissing(left);
    if (left.size > 0 || connect.isPending) return;
    if (provider === 'sandbox') return connect.mutate({ provider });
    const [phone, phone_number_id] = [withoutSeparators(of('phone')), of('phone_number_id')];
    const [access_token, app_secret, verify_token] = [of('access_token'), of('app_secret'), of('verify_token')];
    connect.mutate({ provider, phone, phone_number_id, secrets: { access_token, app_secret, verify_token } });
  };
  const { field, part, secret } = connectFields(missing, connect.error);
  const atMember = ['#/phone', '#/secrets'].some((pointer) => faultOf(connect.error, pointer));
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => {
        connect.reset();
        setMissing(new Set());
      }}
      title={m.connections_channel_title()}
      initialFocus={select}
    >
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={m.connections_connect()}
        busy={connect.isPending}
        bad={connect.error && !atMember ? wordsOf(connect.error) : undefined}
      >
        <SelectField
          label={m.connections_kind()}
          hint={provider === 'sandbox' ? m.connections_sandbox_hint() : m.connections_whatsapp_hint()}
          ref={select}
          value={provider}
          onChange={({ target }) => setProvider(target.value === 'sandbox' ? 'sandbox' : 'whatsapp_cloud')}
          choices={[
            ['whatsapp_cloud', m.connections_whatsapp()],
            ['sandbox', m.connections_sandbox()],
          ]}
        />
        {provider === 'whatsapp_cloud' && (
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
        )}
      </DialogForm>
    </Dialog>
  );
}

/** Only behind a plus sign. The API rejects others, because a national number without them may be a foreign one. */
const withoutSeparators = (phone: string): string => (phone.startsWith('+') ? phone.replace(/[\s().+-]/g, '') : phone);

const whatsappFields = ['phone', 'phone_number_id', 'access_token', 'app_secret', 'verify_token'] as const;
