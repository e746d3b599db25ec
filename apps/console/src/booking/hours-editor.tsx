import { m } from '../paraglide/messages.js';
import { firstWindow, type Window } from '../settings/settings-draft.ts';
import { WindowsEditor, type WindowWords } from '../settings/windows-editor.tsx';
import { CheckField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';

const words: WindowWords = {
  none: m.booking_hours_never,
  name: m.booking_hours_name,
  add: m.booking_hours_add,
  remove: m.booking_hours_remove,
};

type HoursEditorProps = {
  /** What it is called when there are no hours of its own. */
  readonly label: string;
  /** Null: the box is checked. */
  readonly windows: readonly Window[] | null;
  readonly isChecked: boolean;
  readonly error?: string | undefined;
  readonly onChange: (windows: Window[] | null) => void;
};

/** The hours of a week, or that there are none of its own. */
export const HoursEditor = ({ label, windows, isChecked, error, onChange }: HoursEditorProps) => (
  <>
    <CheckField
      label={label}
      checked={windows === null}
      onChange={({ target }) => onChange(target.checked ? null : [firstWindow])}
    />
    {windows && <WindowsEditor {...{ words, windows, isChecked, onChange }} />}
    {error && <Bad>{error}</Bad>}
  </>
);
