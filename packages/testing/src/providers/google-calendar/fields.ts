/** The members of a value that a `fields` parameter names: …/calendar/api/guides/performance#partial. */
export function pick(value: unknown, fields: string): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, fields));
  if (typeof value !== 'object' || value === null) return value;
  const entries = split(fields).flatMap((field) => {
    const [, name = '', inList, below] = /^([^(/]+)(?:\((.*)\)|\/(.*))?$/.exec(field) ?? [];
    const inner = inList ?? below;
    const member = (value as Record<string, unknown>)[name];
    return member === undefined ? [] : [[name, inner === undefined ? member : pick(member, inner)] as const];
  });
  return Object.fromEntries(entries);
}

/** At the commas that are in no parentheses. */
const split = (fields: string): string[] => {
  const parts = [''];
  let depth = 0;
  for (const character of fields) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
};
