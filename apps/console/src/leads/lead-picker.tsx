import { useQuery } from '@tanstack/react-query';
import { type Ref, useEffect, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import type { Lead } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Picker } from '../ui/picker.tsx';
import { leadChoicesQuery } from './queries.ts';
import { addressOf } from './words.ts';

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
const keyOf = ({ id }: Lead) => id;

type LeadPickerProps = {
  readonly label: string;
  readonly value: Lead | null;
  readonly onChoose: (lead: Lead | null) => void;
  readonly error?: string | undefined;
  readonly ref?: Ref<HTMLInputElement> | undefined;
};

/** Finds a lead by name, phone, email or tag. Without a text it offers those that changed last. */
export function LeadPicker({ label, value, onChoose, error, ref }: LeadPickerProps) {
  const [text, setText] = useState('');
  const found = useQuery(leadChoicesQuery(useSettled(text === value?.name ? '' : text).trim()));
  return (
    <Picker
      ref={ref}
      label={label}
      error={error}
      items={found.data ?? []}
      filter={null}
      onType={setText}
      value={value}
      onChoose={onChoose}
      keyOf={keyOf}
      nameOf={nameOf}
      moreOf={addressOf}
      none={found.error ? wordsOf(found.error) : found.data && m.leads_picker_none()}
      placeholder={m.leads_picker_hint()}
    />
  );
}
