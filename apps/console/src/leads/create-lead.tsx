import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/form.tsx';
import type { Draft } from './lead-draft.ts';
import { type Faults, faultsOf, isSaidAtField, LeadFields, readDraft } from './lead-fields.tsx';
import { leadChanged } from './queries.ts';

/** Asks for a new lead, then opens it. */
export function CreateLead({ open, onClose }: { open: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const name = useRef<HTMLInputElement>(null);
  const [faults, setFaults] = useState<Faults>({});
  const create = useMutation({
    mutationFn: (draft: Draft) =>
      dataOf(platform.POST('/leads', { body: { ...draft, customer_phone: draft.customer_phone ?? '' } })),
    onSuccess: async ({ id }) => {
      void leadChanged(id);
      onClose();
      await navigate({ to: '/leads/$leadId', params: { leadId: id } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const draft = readDraft(new FormData(form));
    const found = faultsOf(draft);
    setFaults(found);
    const [first] = Object.keys(found);
    if (first) return (form.elements.namedItem(first) as HTMLInputElement).focus();
    if (!create.isPending) create.mutate(draft);
  };
  const reset = () => {
    create.reset();
    setFaults({});
  };
  return (
    <Dialog open={open} onClose={onClose} onClosed={reset} title={m.leads_create_title()} initialFocus={name}>
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={m.leads_create()}
        busy={create.isPending}
        bad={create.error && !isSaidAtField(create.error) ? wordsOf(create.error) : undefined}
      >
        <LeadFields nameRef={name} faults={faults} error={create.error} />
      </DialogForm>
    </Dialog>
  );
}
