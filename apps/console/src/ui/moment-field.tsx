import { m } from '../paraglide/messages.js';
import { SelectField, TextField } from './field.tsx';
import { timeWithOffset } from './time.ts';
import { bothPasses, momentOf, wallTime } from './zone.ts';

/** What a person has chosen on the clock of the store. */
export type ChosenMoment = {
  /** `2026-11-23T09:30`, or what of it the person has typed. */
  readonly wall: string;
  /** The moment that filled the input. It counts while the clock shows the same. */
  readonly filled?: string | undefined;
};

/** Fills the input with a moment. */
export const filledWith = (moment: string, timeZone: string): ChosenMoment => ({
  wall: wallTime(moment, timeZone),
  filled: moment,
});

type MomentFieldProps = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly timeZone: string;
  readonly error?: string | undefined;
  readonly value: ChosenMoment;
  readonly onChange: (value: ChosenMoment) => void;
};

/** A day and a time on the clock of the store. Of a time that autumn repeats the person chooses the pass. */
export function MomentField({ timeZone, value, onChange, ...field }: MomentFieldProps) {
  const { wall, filled } = value;
  const passes = bothPasses(wall, timeZone);
  const isSecond = passes && Date.parse(momentOf(wall, timeZone, filled) ?? '') >= Date.parse(passes[1]);
  return (
    <>
      <TextField
        {...field}
        type="datetime-local"
        value={wall}
        onChange={({ target }) => onChange({ wall: target.value, filled })}
      />
      {passes && (
        <SelectField
          label={m.ui_pass()}
          hint={m.ui_pass_hint()}
          value={passes[isSecond ? 1 : 0]}
          onChange={({ target }) => onChange({ wall, filled: target.value })}
          choices={passes.map((at) => [at, timeWithOffset(at, timeZone)])}
        />
      )}
    </>
  );
}
