import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { typesByGroup } from './event-groups.ts';
import { type EventSearch, isId } from './event-search.ts';
import styles from './events.module.css';

type EventFiltersProps = { readonly search: EventSearch; readonly onChange: (part: EventSearch) => void };

/** By type, or by the one resource that the events are about. */
export const EventFilters = ({ search, onChange }: EventFiltersProps) => (
  <>
    <Select
      look="filter"
      on={search.type !== undefined}
      aria-label={m.events_type()}
      value={search.type ?? ''}
      onChange={({ target }) => onChange({ type: target.value || undefined })}
    >
      <option value="">{m.events_all_types()}</option>
      {typesByGroup().map(({ name, group, types }) => (
        <optgroup key={group} label={name}>
          {types.length > 1 && <option value={group}>{m.events_all_of({ name })}</option>}
          {types.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
    {search.entity ? (
      <span className={styles.chip}>
        <span className={styles.chipText}>{m.events_only_of({ id: search.entity })}</span>
        <Button kind="bare" aria-label={m.events_show_all()} onClick={() => onChange({ entity: undefined })}>
          <X size={14} aria-hidden />
        </Button>
      </span>
    ) : (
      <EntityId onFind={(entity) => onChange({ entity })} />
    )}
  </>
);

function EntityId({ onFind }: { onFind: (entity: string) => void }) {
  const [bad, setBad] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget).get('entity')).trim();
    setBad(id !== '' && !isId(id));
    if (isId(id)) onFind(id);
  };
  return (
    <form className={styles.find} onSubmit={submit}>
      <input
        name="entity"
        aria-label={m.events_entity_id()}
        placeholder={m.events_entity_id()}
        aria-invalid={bad || undefined}
        aria-describedby={bad ? 'events-entity-bad' : undefined}
        autoComplete="off"
        className={styles.control}
      />
      {bad && (
        <span id="events-entity-bad" role="alert" className={styles.bad}>
          {m.events_entity_bad()}
        </span>
      )}
    </form>
  );
}
