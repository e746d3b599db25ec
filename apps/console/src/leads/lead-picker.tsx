import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { dataOf, type Lead, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import styles from './lead-picker.module.css';
import { queryOf } from './lead-search.ts';
import { phoneOf } from './words.ts';

const pauseMs = 200;

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setSettled, pauseMs, text);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const nameOf = ({ name }: Lead) => name;
const isSame = (one: Lead, other: Lead) => one.id === other.id;

type LeadPickerProps = {
  readonly label: string;
  readonly value: Lead | null;
  readonly onChoose: (lead: Lead | null) => void;
  readonly error?: string | undefined;
  readonly ref?: React.Ref<HTMLInputElement>;
};

/** Finds a lead by name, phone, email or tag. Without a text it offers those that changed last. */
export function LeadPicker({ label, value, onChoose, error, ref }: LeadPickerProps) {
  const id = useId();
  const [text, setText] = useState('');
  const q = queryOf({ q: useSettled(text === value?.name ? '' : text).trim() }).q;
  const found = useQuery({
    queryKey: ['leads', 'picker', q],
    queryFn: async () =>
      (await dataOf(platform.GET('/leads', { params: { query: { q, limit: 8, sort: '-updated_at' } } }))).data,
    placeholderData: (before) => before,
  });
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <Combobox.Root
        items={found.data ?? []}
        filter={null}
        value={value}
        onValueChange={onChoose}
        onInputValueChange={setText}
        itemToStringLabel={nameOf}
        isItemEqualToValue={isSame}
        autoHighlight
      >
        <Combobox.Input
          ref={ref}
          id={id}
          className={styles.input}
          placeholder={m.leads_picker_hint()}
          maxLength={100}
          aria-invalid={error ? true : undefined}
          aria-describedby={error && `${id}-about`}
        />
        <Combobox.Portal>
          <Combobox.Positioner className={styles.positioner} sideOffset={4}>
            <Combobox.Popup className={styles.popup} aria-label={label}>
              <Combobox.Empty>
                {found.data && <div className={styles.none}>{m.leads_picker_none()}</div>}
              </Combobox.Empty>
              <Combobox.List>
                {(lead: Lead) => (
                  <Combobox.Item key={lead.id} value={lead} className={styles.item}>
                    <bdi className={styles.name}>{lead.name}</bdi>
                    <span className={styles.soft}>{phoneOf(lead)}</span>
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {error && (
        <span id={`${id}-about`} className={styles.fault}>
          {error}
        </span>
      )}
    </div>
  );
}
