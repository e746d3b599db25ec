import { array, member, text } from './json.ts';
import type { ProviderTemplate } from './provider-template.ts';

/** The variables of a text, each once, in the order of their places: `1`, `2`, or names. */
export const variablesOf = (content: string | null): string[] => [
  ...new Set(Array.from((content ?? '').matchAll(variable), ([, name]) => name as string)),
];

const variable = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** The component of a message that fills in this part of a template. */
const valuesFor = (values: readonly unknown[], type: string): unknown => values.find((given) => typeOf(given) === type);

export const typeOf = (given: unknown): string => text(member(given, 'type')).toLowerCase();

/** What the customer reads of a value. */
const shownOf = (parameter: unknown): string =>
  text(member(parameter, 'text')) ||
  text(member(member(parameter, 'currency'), 'fallback_value')) ||
  text(member(member(parameter, 'date_time'), 'fallback_value'));

/** The text of a template with these values, as the customer reads it: header, body and footer. */
export function renderTemplate(
  { variables, components }: Pick<ProviderTemplate, 'variables' | 'components'>,
  values: readonly unknown[] = [],
): string {
  const parts = components.map(({ type, text: content }) => {
    if (content === null) return '';
    const parameters = array(member(valuesFor(values, type), 'parameters')) ?? [];
    return content.replaceAll(variable, (whole, name: string) => {
      const parameter =
        variables === 'named'
          ? parameters.find((one) => member(one, 'parameter_name') === name)
          : parameters[Number(name) - 1];
      return parameter === undefined ? whole : shownOf(parameter);
    });
  });
  return parts.filter((part) => part !== '').join('\n\n');
}
