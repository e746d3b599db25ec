import { useMemo } from 'react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { nameOfZone } from '../ui/clock.ts';
import { Picker } from '../ui/picker.tsx';
import { clockIn, dayAndClockIn, findsZone, zonesWith } from './choices.ts';

type ZoneFieldProps = {
  readonly value: string;
  readonly onChoose: (zone: string) => void;
  readonly error: string | undefined;
};

const keyOf = (zone: string) => zone;

/** Finds a time zone by a city of it. */
export function ZoneField({ value, onChoose, error }: ZoneFieldProps) {
  const zones = useMemo(() => zonesWith(value), [value]);
  return (
    <Picker
      label={m.settings_zone()}
      hint={m.settings_zone_hint({ now: dayAndClockIn(getLocale(), value) })}
      error={error}
      items={zones}
      filter={findsZone}
      value={value}
      onChoose={(zone) => zone && onChoose(zone)}
      keyOf={keyOf}
      nameOf={nameOfZone}
      moreOf={(zone) => clockIn(getLocale(), zone)}
      none={m.settings_zone_none()}
      placeholder={m.settings_zone_search()}
    />
  );
}
