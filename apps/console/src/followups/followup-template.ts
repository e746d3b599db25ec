import type { MessageTemplate } from '../api/platform.ts';

/** A template with the values of its variables, one a line, as the body of the channel's template takes them. */
export function readTemplate(name: string, language: string, lines: string): MessageTemplate | undefined {
  if (name.trim() === '') return undefined;
  const values = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const parameters = values.map((text) => ({ type: 'text', text }));
  return {
    name: name.trim(),
    language: language.trim(),
    ...(parameters.length > 0 && { components: [{ type: 'body', parameters }] }),
  };
}
