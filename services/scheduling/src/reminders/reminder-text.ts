import { reminderPlaceholder, type reminderPlaceholders } from '@mostrador/contracts';
import type { FollowupRow } from '../followups/followup.ts';

/** What the placeholders mean. */
export type ReminderValues = Readonly<Record<(typeof reminderPlaceholders)[number], string>>;

/** The longest message, in characters (code points). */
const longestMessage = 4096;

/** The message and the template of a reminder with its placeholders filled in. */
export function fillReminder(
  { message, template }: Pick<FollowupRow, 'message' | 'template'>,
  values: ReminderValues,
): Pick<FollowupRow, 'message' | 'template'> {
  // The message may be changed to any text, whose other braces stay.
  const fill = (text: string) =>
    text.replaceAll(reminderPlaceholder, (all, name: keyof ReminderValues) =>
      Object.hasOwn(values, name) ? values[name] : all,
    );
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (Array.isArray(value)) return value.map(fillAll);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillAll(inner)]));
  };
  return {
    message: [...fill(message)].slice(0, longestMessage).join(''),
    template: template && {
      ...template,
      ...(template.components && { components: fillAll(template.components) as typeof template.components }),
    },
  };
}
