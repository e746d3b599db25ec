import type { Template } from './outgoing.ts';

/** A template with the values of its variables, one a line, as the channel's body component takes them. */
export function readTemplate(name: string, language: string, lines: string): Template {
  const values = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (values.length === 0) return { name, language };
  return { name, language, components: [{ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) }] };
}
