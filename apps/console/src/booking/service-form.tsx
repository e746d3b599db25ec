import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform, type Seller, versionedOf } from '../api/platform.ts';
import { ChangedMeanwhile, saveChange } from '../api/save-change.ts';
import { useSave } from '../api/use-save.ts';
import type { Service } from '../calendar/booking.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { type Choice, minutesWith } from '../settings/choices.ts';
import styles from '../settings/settings.module.css';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { bookingChanged } from './changed.ts';
import {
  bodyOfService,
  changesOfDraft,
  draftOfService,
  emptyService,
  faultsOfService,
  type ServiceDraft,
} from './service-draft.ts';

/** The members that have a field, which says what the server refuses. */
const shownMembers = ['name', 'duration_minutes', 'price_text', 'buffer_before_minutes', 'buffer_after_minutes'];
const buffers = [0, 5, 10, 15, 20, 30, 45, 60, 90, 120];

type ServiceDialogProps = {
  /** Undefined: a new one. */
  readonly service?: Service;
  readonly sellers: readonly Seller[];
  readonly open: boolean;
  readonly onClose: () => void;
};

export function ServiceDialog({ service, sellers, open, onClose }: ServiceDialogProps) {
  const name = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={service ? m.booking_service_edit_title({ name: service.name }) : m.booking_service_create()}
      initialFocus={name}
    >
      <ServiceForm {...{ service, sellers, onClose }} nameRef={name} />
    </Dialog>
  );
}

type ServiceFormProps = Omit<ServiceDialogProps, 'open'> & {
  readonly service: Service | undefined;
  readonly nameRef: RefObject<HTMLInputElement | null>;
};

function ServiceForm({ service, sellers, nameRef, onClose }: ServiceFormProps) {
  const [first] = useState<ServiceDraft>(() => (service ? draftOfService(service) : emptyService));
  const [draft, setDraft] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const minutes = useRef<HTMLInputElement>(null);
  const save = useSave({
    first: service,
    save: async (seen) => {
      if (!seen) return await dataOf(platform.POST('/services', { body: bodyOfService(draft) }));
      const params = { path: { serviceId: seen.id } };
      return await saveChange({
        seen,
        change: changesOfDraft(first, draft),
        read: () => versionedOf(platform.GET('/services/{serviceId}', { params })),
        write: (body, etag) =>
          dataOf(platform.PATCH('/services/{serviceId}', { params, headers: { 'if-match': etag }, body })),
      });
    },
    onSaved: async ({ name }) => {
      await bookingChanged();
      say(m.booking_service_saved({ name }));
      onClose();
    },
  });
  const faults = isChecked ? faultsOfService(draft) : [];
  const change = (part: Partial<ServiceDraft>) => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const [fault] = faultsOfService(draft);
    if (fault) (fault === 'name' ? nameRef : minutes).current?.focus();
    else if (!save.isPending) save.mutate();
  };
  const { error } = save;
  const isConflict = error instanceof ChangedMeanwhile;
  const isSaid = shownMembers.some((member) => faultOf(error, `#/${member}`));
  const choicesOf = (set: string): Choice[] => [
    ['', m.booking_buffer_of_rules()],
    ...minutesWith(getLocale(), buffers, Number(set), m.booking_minutes_none()),
  ];
  // A seller who can no longer be booked stays a choice while chosen.
  const people = sellers.filter(({ id, bookable }) => bookable || first.sellerIds.includes(id));
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={isConflict ? m.settings_save_mine() : service ? m.settings_save() : m.booking_service_create()}
      busy={save.isPending}
      bad={isConflict ? m.booking_changed_meanwhile() : error && !isSaid ? wordsOf(error) : undefined}
      isChanged={JSON.stringify(draft) !== JSON.stringify(first)}
    >
      <TextField
        ref={nameRef}
        label={m.booking_service_name()}
        error={faults.includes('name') ? m.booking_service_name_missing() : faultOf(error, '#/name')}
        maxLength={200}
        dir="auto"
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextField
        ref={minutes}
        label={m.booking_service_minutes()}
        error={faults.includes('minutes') ? m.booking_service_minutes_wrong() : faultOf(error, '#/duration_minutes')}
        inputMode="numeric"
        maxLength={4}
        value={draft.minutes}
        onChange={({ target }) => change({ minutes: target.value })}
      />
      <TextField
        label={m.booking_service_price()}
        hint={m.booking_service_price_hint()}
        error={faultOf(error, '#/price_text')}
        maxLength={100}
        dir="auto"
        value={draft.price}
        onChange={({ target }) => change({ price: target.value })}
      />
      {people.length > 0 && (
        <fieldset className={styles.windows}>
          <legend>{m.booking_service_people()}</legend>
          {people.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={draft.sellerIds.includes(id)}
              onChange={({ target }) => {
                const others = draft.sellerIds.filter((one) => one !== id);
                change({ sellerIds: target.checked ? [...others, id] : others });
              }}
            />
          ))}
          <p className={styles.soft}>{m.booking_service_people_hint()}</p>
        </fieldset>
      )}
      <SelectField
        label={m.booking_buffer_before()}
        error={faultOf(error, '#/buffer_before_minutes')}
        choices={choicesOf(draft.bufferBefore)}
        value={draft.bufferBefore}
        onChange={({ target }) => change({ bufferBefore: target.value })}
      />
      <SelectField
        label={m.booking_buffer_after()}
        error={faultOf(error, '#/buffer_after_minutes')}
        choices={choicesOf(draft.bufferAfter)}
        value={draft.bufferAfter}
        onChange={({ target }) => change({ bufferAfter: target.value })}
      />
      <CheckField
        label={m.booking_service_active()}
        checked={draft.isActive}
        onChange={({ target }) => change({ isActive: target.checked })}
      />
    </DialogForm>
  );
}
