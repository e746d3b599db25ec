import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ToolChecks } from '../agents/tool-checks.tsx';
import { type EffectName, effectNames } from '../agents/tools.ts';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform, type StoreAi } from '../api/platform.ts';
import { aiQuery, keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import type { Asked } from './connect-dialog.tsx';

type AiConfirmedProps = Asked & Pick<StoreAi, 'confirm'>;

/** What a person confirms before the AI does it. */
export const AiConfirmed = ({ confirm, open, onClose }: AiConfirmedProps) => (
  <Dialog open={open} onClose={onClose} title={m.connections_ai_confirm()} about={m.connections_ai_confirm_about()}>
    <Form confirm={confirm} onClose={onClose} />
  </Dialog>
);

function Form({ confirm, onClose }: Pick<AiConfirmedProps, 'confirm' | 'onClose'>) {
  // As it was when the dialog opened: it may be read again meanwhile.
  const [first] = useState(confirm);
  const [chosen, setChosen] = useState<EffectName[]>(confirm);
  const isChanged = effectNames.some((name) => chosen.includes(name) !== first.includes(name));
  const save = useMutation({
    mutationFn: () => dataOf(platform.PATCH('/ai', { body: { confirm: chosen } })),
    onSuccess: async (next) => {
      await keep(aiQuery, next);
      say(m.connections_ai_confirm_saved());
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    if (isChanged) save.mutate();
    else onClose();
  };
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={m.settings_save()}
      busy={save.isPending}
      isChanged={isChanged}
      bad={save.error ? wordsOf(save.error) : undefined}
    >
      <ToolChecks label={m.connections_ai_confirm_what()} names={effectNames} chosen={chosen} onChoose={setChosen} />
    </DialogForm>
  );
}
