import { hash } from 'node:crypto';
import { greatestDepth, tooDeep } from '../schema/nesting.ts';
import { validationFailed } from './errors.ts';

/**
 * SHA-256 in hex of a JSON value, independent of the order of its members. Undefined members are left out.
 *
 * @throws AppError `validation_failed` for a value nested more than 64 deep
 */
export function fingerprintOf(value: unknown): string {
  return hash('sha256', canonicalJson(value, 0));
}

function canonicalJson(value: unknown, depth: number): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (depth === greatestDepth) throw validationFailed([{ pointer: '#', detail: tooDeep }]);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}
