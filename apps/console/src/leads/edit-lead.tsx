import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Failure, wordsOf } from '../api/failure.ts';
import { dataOf, type Lead, platform, type Versioned } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { LeadConflict } from './lead-conflict.tsx';
import { type Change, changeOf, conflictsOf, type Member, resolved } from './lead-draft.ts';
import { type Faults, faultsOf, isSaidAtField, LeadFields, readDraft } from './lead-fields.tsx';
import { leadChanged, leadQuery } from './queries.ts';

/** Their version, what the person wanted to change, and in which members both disagree. */
type Conflict = { readonly theirs: Versioned<Lead>; readonly mine: Change; readonly members: readonly Member[] };

const isOldVersion = (error: unknown) => error instanceof Failure && error.code === 'version_mismatch';

/**
 * Saves the change on top of the version that the person saw. When somebody has changed the lead since, the change is
 * saved on top of theirs; where both have changed the same, it answers the conflict and saves nothing.
 */
async function save(base: Versioned<Lead>, change: Change): Promise<Conflict | undefined> {
  const { id } = base.data;
  if (Object.keys(change).length === 0) return undefined;
  try {
    await dataOf(
      platform.PATCH('/leads/{leadId}', {
        params: { path: { leadId: id } },
        headers: { 'if-match': base.etag },
        body: change,
      }),
    );
    return undefined;
  } catch (error) {
    if (!isOldVersion(error)) throw error;
    const theirs = await queries.fetchQuery({ ...leadQuery(id), staleTime: 0 });
    const members = conflictsOf(base.data, theirs.data, change);
    if (members.length > 0) return { theirs, mine: change, members };
    return save(theirs, resolved(theirs.data, change, new Set()));
  }
}

type EditLeadProps = { readonly read: Versioned<Lead>; readonly open: boolean; readonly onClose: () => void };

export function EditLead({ read, open, onClose }: EditLeadProps) {
  const name = useRef<HTMLInputElement>(null);
  // The version that the form was opened with. A change by somebody else must not replace it.
  const base = useRef(read);
  const [faults, setFaults] = useState<Faults>({});
  const [conflict, setConflict] = useState<Conflict>();
  const saved = useMutation({
    mutationFn: ({ from, change }: { from: Versioned<Lead>; change: Change }) => save(from, change),
    onSuccess: async (found) => {
      await leadChanged(read.data.id);
      setConflict(found);
      if (found) return;
      say(m.leads_was_saved());
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const draft = readDraft(new FormData(form), base.current.data);
    const found = faultsOf(draft);
    setFaults(found);
    const [first] = Object.keys(found);
    if (first) return (form.elements.namedItem(first) as HTMLInputElement).focus();
    if (!saved.isPending) saved.mutate({ from: base.current, change: changeOf(base.current.data, draft) });
  };
  const reset = () => {
    saved.reset();
    setFaults({});
    setConflict(undefined);
  };
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) base.current = read;
  wasOpen.current = open;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={reset}
      title={conflict ? m.leads_conflict_title() : m.leads_edit_title()}
      about={conflict && m.leads_conflict_text()}
      initialFocus={name}
    >
      {conflict ? (
        <LeadConflict
          {...conflict}
          busy={saved.isPending}
          error={saved.error}
          onCancel={onClose}
          onSave={(takeTheirs) =>
            saved.mutate({ from: conflict.theirs, change: resolved(conflict.theirs.data, conflict.mine, takeTheirs) })
          }
        />
      ) : (
        <DialogForm
          onSubmit={submit}
          onClose={onClose}
          action={m.leads_save()}
          busy={saved.isPending}
          bad={saved.error && !isSaidAtField(saved.error) ? wordsOf(saved.error) : undefined}
        >
          <LeadFields lead={base.current.data} nameRef={name} faults={faults} error={saved.error} />
        </DialogForm>
      )}
    </Dialog>
  );
}
