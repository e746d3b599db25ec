import type { TSchema } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { describeFaults, type Fault, greatestFaultCount, pointerTo } from './faults.ts';
import { formats } from './formats.ts';
import { greatestDepth, tooDeep } from './nesting.ts';

/**
 * Checks a value; without faults it matches the schema. Changes the value: trims texts (keyword `text`) and fills in
 * defaults. It coerces nothing: `"60"` is not a number.
 */
export type Validate = (value: unknown) => readonly Fault[];

/** Compiles a schema. Later calls with the same schema return the same validator. */
export function compile(schema: TSchema): Validate {
  return compileWith(schema, 'is not a member of this object');
}

/** The only validator, created on first use because no module does anything on import. */
let validator: Ajv | undefined;
const compiled = new WeakMap<TSchema, Validate>();

/** `compile`, with the detail of a member that the schema does not have. */
export function compileWith(schema: TSchema, unknownMember: string): Validate {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  validator ??= createValidator();
  const check = validator.compile(schema);
  const validate = (value: unknown) => {
    const faults = check(value) ? [] : describeFaults(check.errors ?? [], unknownMember);
    return withTextFaults(value, faults);
  };
  compiled.set(schema, validate);
  return validate;
}

function createValidator(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    strict: true,
    allowUnionTypes: true,
    verbose: true,
    // `int64` says to client generators that the number does not fit into 32 bits.
    formats: { ...formats, int64: true },
  });
  // For the API document, and for the detail of a pattern's fault.
  ajv.addVocabulary(['valuesOf', 'fault']);
  // For the configuration alone.
  ajv.addVocabulary(['secret', 'file', 'ofBuild']);
  ajv.addKeyword({
    keyword: 'text',
    type: 'string',
    schemaType: 'boolean',
    // Before the length checks, because the length of the trimmed text counts.
    before: 'maxLength',
    modifying: true,
    errors: false,
    compile: (isText: boolean) => (data: string, context) => {
      if (isText && context !== undefined) context.parentData[context.parentDataProperty] = data.trim();
      return true;
    },
  });
  return ajv;
}

/** The position of a value: a linked list from the inside out, so that walking down copies nothing. */
type Place = {
  readonly value: unknown;
  readonly name: string | number;
  readonly parent?: Place;
  readonly depth: number;
};

/**
 * Adds the faults of text that no database column accepts: NUL and lone surrogates, in every string and member name.
 * It is iterative and bounded, because a hostile body may be nested deeper than the stack.
 */
function withTextFaults(value: unknown, faults: Fault[]): readonly Fault[] {
  const open: Place[] = [{ value, name: '', depth: 0 }];
  for (let place = open.pop(); place !== undefined && faults.length < greatestFaultCount; place = open.pop()) {
    const { value, depth } = place;
    if (typeof value === 'string') {
      const detail = textFault(value);
      if (detail !== undefined) faults.push({ pointer: pointerTo(pathOf(place)), detail });
    } else if (typeof value === 'object' && value !== null) {
      if (depth === greatestDepth) {
        faults.push({ pointer: pointerTo(pathOf(place)), detail: tooDeep });
        continue;
      }
      const members = Array.isArray(value) ? value.entries() : Object.entries(value);
      for (const [name, member] of members) {
        const detail = typeof name === 'string' ? textFault(name) : undefined;
        if (detail !== undefined && faults.length < greatestFaultCount) {
          const pointer = pointerTo([...pathOf(place), name]);
          // An unknown member is already a fault.
          if (!faults.some((fault) => fault.pointer === pointer))
            faults.push({ pointer, detail: `its name ${detail}` });
        }
        open.push({ value: member, name, parent: place, depth: depth + 1 });
      }
    }
  }
  return faults;
}

function pathOf(place: Place): (string | number)[] {
  return place.parent === undefined ? [] : [...pathOf(place.parent), place.name];
}

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  return undefined;
}
