import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, type EventType, platform, type WebhookEndpoint } from '../api/platform.ts';
import { ChooseTypes } from '../events/choose-types.tsx';
import { isEventType } from '../events/event-types.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { webhooksChanged } from './queries.ts';
import { SecretOnce } from './secret-once.tsx';
import styles from './webhooks.module.css';

type Settings = Pick<WebhookEndpoint, 'url' | 'description' | 'ordering' | 'payload' | 'max_in_flight'> & {
  readonly event_types: EventType[] | null;
};

/** Asks for an address and for what is sent to it, then shows the secret once. */
export function CreateEndpoint({ open, onClose }: { open: boolean; onClose: () => void }) {
  const create = useMutation({
    mutationFn: (body: Settings & { asymmetric: boolean }) => dataOf(platform.POST('/webhooks/endpoints', { body })),
    onSuccess: webhooksChanged,
  });
  const made = create.data;
  const url = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={create.reset}
      title={made ? m.webhooks_secret_title() : m.webhooks_create_title()}
      about={made ? m.webhooks_secret_text() : undefined}
      initialFocus={url}
    >
      {made ? (
        <SecretOnce secret={made.secret} publicKey={made.public_key} onClose={onClose} />
      ) : (
        <EndpointForm
          urlRef={url}
          action={m.webhooks_create()}
          busy={create.isPending}
          error={create.error}
          onSubmit={(settings, asymmetric) => create.mutate({ ...settings, asymmetric })}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type EditEndpointProps = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

export function EditEndpoint({ endpoint, open, onClose }: EditEndpointProps) {
  const url = useRef<HTMLInputElement>(null);
  const edit = useMutation({
    mutationFn: (body: Settings) =>
      dataOf(
        platform.PATCH('/webhooks/endpoints/{endpointId}', { params: { path: { endpointId: endpoint.id } }, body }),
      ),
    onSuccess: async () => {
      await webhooksChanged();
      say(m.webhooks_was_saved());
      onClose();
    },
  });
  return (
    <Dialog open={open} onClose={onClose} onClosed={edit.reset} title={m.webhooks_edit_title()} initialFocus={url}>
      <EndpointForm
        endpoint={endpoint}
        urlRef={url}
        action={m.webhooks_save()}
        busy={edit.isPending}
        error={edit.error}
        onSubmit={(settings) => edit.mutate(settings)}
        onClose={onClose}
      />
    </Dialog>
  );
}

type EndpointFormProps = {
  /** Undefined: it is a new one. */
  readonly endpoint?: WebhookEndpoint;
  readonly urlRef: React.RefObject<HTMLInputElement | null>;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (settings: Settings, asymmetric: boolean) => void;
  readonly onClose: () => void;
};

function EndpointForm({ endpoint, urlRef, action, busy, error, onSubmit, onClose }: EndpointFormProps) {
  const [every, setEvery] = useState(endpoint?.event_types == null);
  const [types, setTypes] = useState<readonly EventType[]>(endpoint?.event_types?.filter(isEventType) ?? []);
  const [fault, setFault] = useState<{ url?: string; types?: string }>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const url = String(form.get('url')).trim();
    const faults = {
      ...(URL.canParse(url) ? {} : { url: m.webhooks_url_bad() }),
      ...(every || types.length > 0 ? {} : { types: m.webhooks_types_missing() }),
    };
    setFault(faults);
    if (faults.url) return urlRef.current?.focus();
    if (faults.types || busy) return;
    const settings = {
      url,
      description: String(form.get('description')).trim() || null,
      event_types: every ? null : [...types],
      ordering: form.get('ordering') === 'none' ? 'none' : 'entity',
      payload: form.get('payload') === 'thin' ? 'thin' : 'object',
      max_in_flight: Number(form.get('max_in_flight')),
    } as const;
    onSubmit(settings, form.get('asymmetric') === 'on');
  };
  const refused = faultOf(error, '#/url') && m.webhooks_url_bad();
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={action}
      busy={busy}
      bad={error != null && !refused ? wordsOf(error) : undefined}
    >
      <TextField
        label={m.webhooks_url()}
        hint={m.webhooks_url_hint()}
        error={fault.url ?? refused}
        ref={urlRef}
        name="url"
        type="url"
        maxLength={2000}
        defaultValue={endpoint?.url}
      />
      <TextField
        label={m.webhooks_description()}
        hint={m.webhooks_description_hint()}
        name="description"
        maxLength={500}
        defaultValue={endpoint?.description ?? ''}
      />
      <div className={styles.part}>
        <CheckField label={m.webhooks_every_type()} checked={every} onChange={() => setEvery(!every)} />
        {!every && <ChooseTypes chosen={types} onChoose={setTypes} />}
        {!every && fault.types && <Bad>{fault.types}</Bad>}
      </div>
      <details className={styles.details}>
        <summary>{m.webhooks_more_settings()}</summary>
        <div className={styles.part}>
          <SelectField
            label={m.webhooks_ordering()}
            name="ordering"
            defaultValue={endpoint?.ordering ?? 'entity'}
            choices={[
              ['entity', m.webhooks_ordering_entity()],
              ['none', m.webhooks_ordering_none()],
            ]}
          />
          <SelectField
            label={m.webhooks_payload()}
            name="payload"
            defaultValue={endpoint?.payload ?? 'object'}
            choices={[
              ['object', m.webhooks_payload_object()],
              ['thin', m.webhooks_payload_thin()],
            ]}
          />
          <TextField
            label={m.webhooks_in_flight()}
            hint={m.webhooks_in_flight_hint()}
            name="max_in_flight"
            type="number"
            min={1}
            max={20}
            defaultValue={endpoint?.max_in_flight ?? 5}
          />
          {!endpoint && (
            <CheckField label={m.webhooks_asymmetric()} hint={m.webhooks_asymmetric_hint()} name="asymmetric" />
          )}
        </div>
      </details>
    </DialogForm>
  );
}
