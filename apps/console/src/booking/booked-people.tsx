import { Pencil } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import type { Seller } from '../api/platform.ts';
import { ChangedMeanwhile } from '../api/save-change.ts';
import { useSave } from '../api/use-save.ts';
import { m } from '../paraglide/messages.js';
import { Section } from '../settings/section.tsx';
import styles from '../settings/settings.module.css';
import { faultOfWindow, type Window } from '../settings/settings-draft.ts';
import { saveSeller } from '../team/save-seller.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import rows from '../ui/rows.module.css';
import { say } from '../ui/toasts.tsx';
import { bookingChanged } from './changed.ts';
import { HoursEditor } from './hours-editor.tsx';
import { hoursOf, windowsOf } from './rules-draft.ts';

type BookedPeopleProps = { readonly sellers: readonly Seller[]; readonly mayChange: boolean };

/** Who can be booked, each a place of their own. */
export function BookedPeople({ sellers, mayChange }: BookedPeopleProps) {
  const shown = sellers.filter(({ is_active, bookable }) => is_active || bookable);
  return (
    <Section title={m.booking_people()} about={m.booking_people_about()}>
      {shown.length === 0 ? (
        <p className={styles.soft}>{m.booking_people_none()}</p>
      ) : (
        <ul className={rows.rows}>
          {shown.map((seller) => (
            <PersonRow key={seller.id} {...{ seller, mayChange }} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function PersonRow({ seller, mayChange }: { seller: Seller; mayChange: boolean }) {
  const [editing, setEditing] = useState(false);
  const { name, bookable, hours } = seller;
  const close = () => setEditing(false);
  return (
    <li className={rows.row}>
      <div className={rows.words}>
        <strong dir="auto">{name}</strong>
        <p className={styles.soft}>
          {!bookable ? m.booking_person_not() : hours ? m.booking_person_own() : m.booking_person_store()}
        </p>
      </div>
      {mayChange && (
        <Button kind="bare" aria-label={m.booking_edit({ name })} onClick={() => setEditing(true)}>
          <Pencil size={14} aria-hidden />
        </Button>
      )}
      <Dialog open={editing} onClose={close} title={m.booking_person_title({ name })}>
        <PersonForm seller={seller} onClose={close} />
      </Dialog>
    </li>
  );
}

type Draft = { readonly bookable: boolean; readonly windows: readonly Window[] | null };

function PersonForm({ seller, onClose }: { seller: Seller; onClose: () => void }) {
  const [first] = useState<Draft>(() => ({
    bookable: seller.bookable === true,
    windows: seller.hours ? windowsOf(seller.hours) : null,
  }));
  const [draft, setDraft] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const { bookable, windows } = draft;
  // Hours that are not shown cannot be mended.
  const isOther = bookable && JSON.stringify(windows) !== JSON.stringify(first.windows);
  const save = useSave({
    first: seller,
    save: (seen) =>
      saveSeller(seen, {
        ...(bookable !== first.bookable && { bookable }),
        ...(isOther && { hours: windows && hoursOf(windows) }),
      }),
    onSaved: async () => {
      await bookingChanged();
      say(m.booking_person_saved({ name: seller.name }));
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const isFaulty = bookable && windows?.some((window) => faultOfWindow(window));
    if (!isFaulty && !save.isPending) save.mutate();
  };
  const { error } = save;
  const isConflict = error instanceof ChangedMeanwhile;
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={isConflict ? m.settings_save_mine() : m.settings_save()}
      busy={save.isPending}
      bad={
        isConflict ? m.booking_changed_meanwhile() : error && !faultOf(error, '#/hours') ? wordsOf(error) : undefined
      }
      isChanged={isOther || bookable !== first.bookable}
    >
      <CheckField
        label={m.booking_person_bookable()}
        hint={m.booking_person_bookable_hint()}
        checked={bookable}
        onChange={({ target }) => setDraft({ bookable: target.checked, windows })}
      />
      {bookable && (
        <HoursEditor
          label={m.booking_person_store()}
          windows={windows}
          isChecked={isChecked}
          error={faultOf(error, '#/hours')}
          onChange={(next) => setDraft({ bookable, windows: next })}
        />
      )}
    </DialogForm>
  );
}
