import type { ErrorObject } from 'ajv';
import { formatDetails } from './formats.ts';

/** One fault of a value: where (a JSON Pointer as a URI fragment) and what, in words. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** The maximum number of faults in an answer. */
export const greatestFaultCount = 50;

/** The validator's errors in words: each place and detail once, at most 50. */
export function describeFaults(errors: readonly ErrorObject[], unknownMember: string): Fault[] {
  const faults = new Map<string, Fault>();
  // A value of the wrong type that also fails an enum is one fault. The enum's text says more.
  const withWords = new Set(errors.filter(({ keyword }) => keyword === 'enum').map(({ instancePath }) => instancePath));
  for (const error of errors) {
    if (faults.size === greatestFaultCount) break;
    // The faults of the name itself say more.
    if (error.keyword === 'propertyNames') continue;
    if (error.keyword === 'type' && withWords.has(error.instancePath)) continue;
    const detail = detailOf(error, unknownMember);
    const fault = {
      pointer: pointerOf(error),
      detail: error.propertyName === undefined ? detail : `its name ${detail}`,
    };
    faults.set(`${fault.pointer} ${fault.detail}`, fault);
  }
  return [...faults.values()];
}

/** A JSON Pointer as a URI fragment (RFC 6901, 6): `#/notes`, `#/a~1b`, `#/a%20b`. */
export function pointerTo(path: readonly (string | number)[]): string {
  return ['#', ...path.map((part) => fragment(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))].join('/');
}

/** Ajv's path is already a JSON Pointer. A missing or unknown member is named by its own path. */
function pointerOf({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  const place = `#${instancePath.split('/').map(fragment).join('/')}`;
  if (keyword === 'required') return place + pointerTo([params.missingProperty]).slice(1);
  if (keyword === 'additionalProperties') return place + pointerTo([params.additionalProperty]).slice(1);
  if (propertyName !== undefined) return place + pointerTo([propertyName]).slice(1);
  return place;
}

/** A name is cut to 200 characters. A lone surrogate in it has no UTF-8 form and becomes U+FFFD. */
const fragment = (name: string): string => encodeURIComponent(name.slice(0, 200).toWellFormed());

function detailOf({ keyword, params, schema, parentSchema, data }: ErrorObject, unknownMember: string): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return unknownMember;
    case 'type':
      return `must be ${[params.type].flat().map(typeWord).join(' or ')}`;
    case 'enum':
      return `must be one of: ${params.allowedValues.map(word).join(', ')}`;
    case 'const':
      return `must be ${word(params.allowedValue)}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${count(params.limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${count(params.limit, 'character')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`;
    case 'minItems':
      return `must have at least ${count(params.limit, 'element')}`;
    case 'maxItems':
      return `must have at most ${count(params.limit, 'element')}`;
    case 'uniqueItems':
      return 'must not have the same element twice';
    case 'minProperties':
      return `must have at least ${count(params.limit, 'member')}`;
    case 'maxProperties':
      return `must have at most ${count(params.limit, 'member')}`;
    case 'format':
      if (withoutPlus.test(String(data))) return lostPlus;
      return formatDetails[params.format] ?? `must be a ${params.format}`;
    case 'pattern':
      return (
        unknownValue(String(data), parentSchema?.valuesOf?.enum) ??
        parentSchema?.fault ??
        `does not have the right form: ${parentSchema?.description ?? schema}`
      );
    default:
      return 'is not valid';
  }
}

/** A moment whose `+` was read as a space, as in every address. */
const withoutPlus = /^\d{4}-\d{2}-\d{2}[Tt][\d:.]+ \d{2}:\d{2}$/;
const lostPlus = 'has a space in the place of the `+` of its offset: write `+` as `%2B` in an address';

/** What may be repeated in an error, because it looks like a word of ours: no phone, no secret and no text of a person. */
const likeAWord = /^ ?[a-z][a-z._]{0,59} ?$/i;

/** Names the first value of a filter with several values that is none of its words. */
function unknownValue(filter: string, words: readonly string[] | undefined): string | undefined {
  const values = filter.split(',');
  const place = words ? values.findIndex((value) => !words.includes(value)) : -1;
  const unknown = values[place];
  if (unknown === undefined) return undefined;
  const named = likeAWord.test(unknown) ? `the unknown value \`${unknown}\`` : `an unknown value in place ${place + 1}`;
  return `has ${unknown === '' ? 'an empty value' : named}; must be one or several of: ${words?.join(', ')}`;
}

const word = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const count = (limit: number, unit: string): string => `${limit} ${unit}${limit === 1 ? '' : 's'}`;

function typeWord(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
