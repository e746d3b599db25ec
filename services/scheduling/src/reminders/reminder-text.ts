import { reminderPlaceholder, type reminderPlaceholders } from '@mostrador/contracts';
import type { FollowupRow } from '../followups/followup.ts';

/** What the placeholders mean. */
export type ReminderValues = Readonly<Record<(typeof reminderPlaceholders)[number], string>>;

/** The longest message, in characters (code points). */
const longestMessage = 4096;

/** The locale of a channel's template, such as `pt_BR`. Undefined: it is none. */
export function localeOf(language: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/**
 * The message and the template of a reminder with its placeholders filled in.
 *
 * @param valuesIn what they mean in a locale, by default that of the store: its own text is in its language, and the approved
 * text of a template is in that of the template
 */
export function fillReminder(
  { message, template }: Pick<FollowupRow, 'message' | 'template'>,
  valuesIn: (locale?: string) => ReminderValues,
): Pick<FollowupRow, 'message' | 'template'> {
  // The message may be changed to any text, whose other braces stay.
  const fill = (text: string, values: ReminderValues) =>
    text.replaceAll(reminderPlaceholder, (all, name: keyof ReminderValues) =>
      Object.hasOwn(values, name) ? values[name] : all,
    );
  const ofTemplate = valuesIn(template ? localeOf(template.language) : undefined);
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value, ofTemplate);
    if (Array.isArray(value)) return value.map(fillAll);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillAll(inner)]));
  };
  return {
    message: [...fill(message, valuesIn())].slice(0, longestMessage).join(''),
    template: template && {
      ...template,
      ...(template.components && { components: fillAll(template.components) as typeof template.components }),
    },
  };
}
