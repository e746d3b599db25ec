import { randomUUID } from 'node:crypto';
import type { Random } from '@mostrador/testing/random';
import { Kind, type TSchema } from '@sinclair/typebox';

/** A value that usually matches the schema. It only guesses at patterns. */
export function plausible(random: Random, schema: TSchema): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum as unknown[]);
  if (schema.anyOf) return plausible(random, random.pick(schema.anyOf as TSchema[]));
  const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
  switch (type ?? schema[Kind]) {
    case 'null':
      return null;
    case 'boolean':
      return random.next() < 0.5;
    case 'integer':
      return (
        (schema.minimum ?? 0) + random.below(Math.min((schema.maximum ?? 1_000) - (schema.minimum ?? 0), 1_000) + 1)
      );
    case 'number':
      return (schema.minimum ?? 0) + random.next();
    case 'array':
      return Array.from({ length: (schema.minItems ?? 0) + random.below(3) }, () => plausible(random, schema.items));
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
          .filter(([name]) => schema.required?.includes(name) || random.next() < 0.6)
          .map(([name, member]) => [name, plausible(random, member)]),
      );
    default:
      return text(random, schema);
  }
}

function text(random: Random, { format, maxLength = 30, minLength = 0, pattern }: TSchema): string {
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return new Date(Date.now() + (random.below(1_000) - 500) * 3_600_000).toISOString();
  if (format === 'uri') return 'http://127.0.0.1:9';
  if (typeof pattern === 'string' && pattern.includes('[0-9]')) {
    return Array.from({ length: 11 }, () => 1 + random.below(9)).join('');
  }
  const length = Math.max(minLength, random.below(Math.min(maxLength, 30)) + 1);
  return Array.from({ length }, () => String.fromCharCode(32 + random.below(random.next() < 0.9 ? 90 : 60_000))).join(
    '',
  );
}
