import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { phoneFaultOf } from '../api/phone-fault.ts';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { ChangedMeanwhile } from '../api/save-change.ts';
import { useSave } from '../api/use-save.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { saveSeller } from './save-seller.ts';

type Settings = Pick<Seller, 'name' | 'whatsapp_id'>;

/** After a change: everything of sellers is read again where it is shown. */
export const sellersChanged = () => queries.invalidateQueries({ queryKey: ['sellers'] });

export function CreateSeller({ open, onClose }: { open: boolean; onClose: () => void }) {
  const name = useRef<HTMLInputElement>(null);
  const create = useMutation({
    mutationFn: (settings: Settings) => dataOf(platform.POST('/sellers', { body: { ...settings, is_active: true } })),
    onSuccess: async (seller) => {
      await sellersChanged();
      say(m.team_seller_was_created({ name: seller.name }));
      onClose();
    },
  });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={create.reset}
      title={m.team_create_seller_title()}
      about={m.team_create_seller_text()}
      initialFocus={name}
    >
      <SellerForm
        nameRef={name}
        busy={create.isPending}
        error={create.error}
        onSubmit={create.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

type EditSellerProps = { readonly seller: Seller; readonly open: boolean; readonly onClose: () => void };

export function EditSeller({ seller, open, onClose }: EditSellerProps) {
  const name = useRef<HTMLInputElement>(null);
  return (
    <Dialog open={open} onClose={onClose} title={m.team_edit_title({ name: seller.name })} initialFocus={name}>
      <EditForm seller={seller} nameRef={name} onClose={onClose} />
    </Dialog>
  );
}

type EditFormProps = Pick<SellerFormProps, 'nameRef' | 'onClose'> & { readonly seller: Seller };

function EditForm({ seller, nameRef, onClose }: EditFormProps) {
  const [first] = useState(seller);
  const edit = useSave({
    first,
    // Only what was changed, so that it does not undo what another person changes meanwhile.
    save: (seen, settings: Settings) =>
      saveSeller(seen, {
        ...(settings.name === first.name ? {} : { name: settings.name }),
        ...(settings.whatsapp_id === first.whatsapp_id ? {} : { whatsapp_id: settings.whatsapp_id }),
      }),
    onSaved: async (changed) => {
      await sellersChanged();
      say(m.team_was_saved({ name: changed.name }));
      onClose();
    },
  });
  return (
    <SellerForm
      seller={first}
      nameRef={nameRef}
      busy={edit.isPending}
      error={edit.error}
      onSubmit={edit.mutate}
      onClose={onClose}
    />
  );
}

type SellerFormProps = {
  readonly seller?: Seller;
  readonly nameRef: RefObject<HTMLInputElement | null>;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (settings: Settings) => void;
  readonly onClose: () => void;
};

function SellerForm({ seller, nameRef, busy, error, onSubmit, onClose }: SellerFormProps) {
  const [faults, setFaults] = useState<{ name?: string; phone?: string }>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const settings = { name: String(form.get('name')).trim(), whatsapp_id: String(form.get('phone')).trim() };
    const found = {
      ...(settings.name === '' ? { name: m.team_name_missing() } : {}),
      ...(/\d/.test(settings.whatsapp_id) ? {} : { phone: m.team_whatsapp_bad() }),
    };
    setFaults(found);
    if (Object.keys(found).length === 0 && !busy) onSubmit(settings);
  };
  const isConflict = error instanceof ChangedMeanwhile;
  const refused = phoneFaultOf(error, '#/whatsapp_id', m.team_whatsapp_bad);
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={isConflict ? m.settings_save_mine() : seller ? m.team_save() : m.team_create_seller()}
      busy={busy}
      bad={isConflict ? m.booking_changed_meanwhile() : error != null && !refused ? wordsOf(error) : undefined}
    >
      <TextField
        label={m.team_name()}
        error={faults.name ?? faultOf(error, '#/name')}
        ref={nameRef}
        name="name"
        maxLength={200}
        defaultValue={seller?.name}
      />
      <TextField
        label={m.team_whatsapp()}
        hint={m.team_whatsapp_hint()}
        error={faults.phone ?? refused}
        name="phone"
        type="tel"
        maxLength={40}
        defaultValue={seller && `+${seller.whatsapp_id}`}
      />
    </DialogForm>
  );
}
