import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, type EventType, platform, type WebhookEndpoint } from '../api/platform.ts';
import { ChooseTypes } from '../events/choose-types.tsx';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { Bad } from '../ui/page.tsx';
import { webhooksChanged } from './queries.ts';
import { sequenceOf } from './sequence.ts';
import styles from './webhooks.module.css';

type ReplayEventsProps = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Asks which events to send again, and begins. */
export function ReplayEvents({ endpoint: { id }, open, onClose }: ReplayEventsProps) {
  const navigate = useNavigate();
  const only = useRef<HTMLSelectElement>(null);
  const [every, setEvery] = useState(true);
  const [types, setTypes] = useState<readonly EventType[]>([]);
  const [faults, setFaults] = useState<{ from?: string; to?: string; types?: string }>({});
  const replay = useMutation({
    mutationFn: (body: Range & { only: 'failed' | 'all'; types?: EventType[] }) =>
      dataOf(platform.POST('/webhooks/endpoints/{endpointId}/replays', { params: { path: { endpointId: id } }, body })),
    onSuccess: async ({ id: replayId }) => {
      void webhooksChanged();
      onClose();
      await navigate({
        to: '/integrations/webhooks/$endpointId',
        params: { endpointId: id },
        search: { replay: replayId },
      });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [from_sequence, to_sequence] = [sequenceOf(form.get('from')), sequenceOf(form.get('to'))];
    const found = {
      ...(from_sequence === null ? { from: m.webhooks_sequence_bad() } : {}),
      ...(to_sequence === null ? { to: m.webhooks_sequence_bad() } : {}),
      ...(every || types.length > 0 ? {} : { types: m.webhooks_types_missing() }),
    };
    setFaults(found);
    if (from_sequence === null || to_sequence === null || found.types || replay.isPending) return;
    replay.mutate({
      only: form.get('only') === 'all' ? 'all' : 'failed',
      from_sequence,
      to_sequence,
      ...(every ? {} : { types: [...types] }),
    });
  };
  const atMember = ['#/from_sequence', '#/to_sequence'].some((pointer) => faultOf(replay.error, pointer));
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={replay.reset}
      title={m.webhooks_replay_title()}
      about={m.webhooks_replay_text()}
      initialFocus={only}
    >
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={m.webhooks_replay()}
        busy={replay.isPending}
        bad={replay.error && !atMember ? wordsOf(replay.error) : undefined}
      >
        <SelectField
          label={m.webhooks_replay_only()}
          ref={only}
          name="only"
          defaultValue="failed"
          choices={[
            ['failed', m.webhooks_replay_failed()],
            ['all', m.webhooks_replay_all()],
          ]}
        />
        <div className={styles.pair}>
          <TextField
            label={m.webhooks_from()}
            hint={m.webhooks_from_hint()}
            error={faults.from ?? faultOf(replay.error, '#/from_sequence')}
            name="from"
            inputMode="numeric"
          />
          <TextField
            label={m.webhooks_to()}
            hint={m.webhooks_to_hint()}
            error={faults.to ?? faultOf(replay.error, '#/to_sequence')}
            name="to"
            inputMode="numeric"
          />
        </div>
        <div className={styles.part}>
          <CheckField label={m.webhooks_replay_every()} checked={every} onChange={() => setEvery(!every)} />
          {!every && <ChooseTypes chosen={types} onChoose={setTypes} />}
          {!every && faults.types && <Bad>{faults.types}</Bad>}
        </div>
      </DialogForm>
    </Dialog>
  );
}

type Range = { from_sequence?: number | undefined; to_sequence?: number | undefined };
