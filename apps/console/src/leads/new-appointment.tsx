import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, type Lead, platform } from '../api/platform.ts';
import { queries, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { momentOf, wallTime } from '../ui/zone.ts';

const durations = [15, 30, 45, 60, 90, 120, 180, 240];
const hourMs = 3_600_000;

/** The next full hour on the clock of the store. */
const nextHour = (timeZone: string): string => `${wallTime(Date.now() + hourMs, timeZone).slice(0, 13)}:00`;

type NewAppointmentProps = { readonly lead: Lead; readonly open: boolean; readonly onClose: () => void };

export function NewAppointment({ lead, open, onClose }: NewAppointmentProps) {
  const { data: store } = useQuery(storeQuery);
  const title = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<{ title?: string; at?: string }>({});
  const create = useMutation({
    mutationFn: (body: { title: string; scheduled_at: string; duration_minutes: number; notes: string | null }) =>
      dataOf(platform.POST('/appointments', { body: { ...body, lead_id: lead.id } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['appointments'] });
      say(m.leads_appointment_was_made());
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name)).trim();
    const at = store && momentOf(text('at'), store.timezone);
    const faults = {
      ...(text('title') === '' && { title: m.leads_appointment_title_missing() }),
      ...(!at && { at: m.leads_appointment_at_missing() }),
    };
    setFault(faults);
    if (faults.title) return title.current?.focus();
    if (!at || create.isPending) return;
    const duration_minutes = Number(form.get('duration'));
    create.mutate({ title: text('title'), scheduled_at: at, duration_minutes, notes: text('notes') || null });
  };
  const reset = () => {
    create.reset();
    setFault({});
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={reset}
      title={m.leads_new_appointment()}
      about={m.leads_with({ name: lead.name })}
      initialFocus={title}
    >
      <Form onSubmit={submit}>
        <DialogBody>
          <TextField ref={title} name="title" label={m.leads_appointment_title()} error={fault.title} maxLength={200} />
          <TextField
            name="at"
            type="datetime-local"
            label={m.leads_appointment_at()}
            hint={store && m.leads_appointment_zone({ zone: store.timezone })}
            error={fault.at}
            defaultValue={store && nextHour(store.timezone)}
          />
          <SelectField
            name="duration"
            label={m.leads_appointment_duration()}
            defaultValue="60"
            choices={durations.map((minutes) => [String(minutes), m.leads_minutes({ count: minutes })] as const)}
          />
          <TextArea name="notes" label={m.leads_appointment_notes()} maxLength={5000} />
          {create.error && <Bad>{wordsOf(create.error)}</Bad>}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{m.cancel()}</Button>
          <Button type="submit" kind="main" busy={create.isPending}>
            {m.leads_appointment_make()}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}
