import { type PhoneReading, readPhone } from '@mostrador/kit/phones/read-phone';
import type { TSchema } from '@sinclair/typebox';

/** A phone whose meaning depends on what the store knows. */
export type OpenReading = Extract<PhoneReading, { kind: 'likely' | 'ambiguous' }>;
export type OpenPhones = Readonly<Record<string, OpenReading>>;

/**
 * Brings the phones of a request's part into digits with country code. Leaves what it cannot read to validation. A phone
 * with an open reading stands there as its first meaning, until `settlePhones`.
 */
export type ReadPhones = <Part>(part: Part, country: string | null) => { part: Part; open: OpenPhones };

const nothingOpen: OpenPhones = {};

/** Makes the reader for the phones (`WrittenPhone`) among the members of a schema. It changes a copy. */
export function phonesReader(schema: TSchema | undefined): ReadPhones {
  const names = Object.entries<TSchema>(schema?.properties ?? {}).flatMap(([name, { format }]) =>
    format === 'phone' ? name : [],
  );
  return (part, country) => {
    if (typeof part !== 'object' || part === null) return { part, open: nothingOpen };
    const phones: Record<string, string> = {};
    const open: Record<string, OpenReading> = {};
    for (const name of names) {
      const written: unknown = Object.hasOwn(part, name) ? part[name as keyof typeof part] : undefined;
      if (typeof written !== 'string') continue;
      const reading = readPhone(written, country);
      if (reading.kind === 'likely' || reading.kind === 'ambiguous') open[name] = reading;
      phones[name] = firstMeaning(reading) ?? written;
    }
    // A part without phones stays as it is: a list must not become an object.
    return Object.keys(phones).length > 0 ? { part: { ...part, ...phones }, open } : { part, open: nothingOpen };
  };
}

function firstMeaning(reading: PhoneReading): string | undefined {
  if (reading.kind === 'none') return undefined;
  return reading.kind === 'ambiguous' ? reading.international : reading.phone;
}

/** Both meanings of an open reading. */
export const meaningsOf = (reading: OpenReading): [string, string] =>
  reading.kind === 'likely' ? [reading.phone, reading.other] : [reading.international, reading.national];

/**
 * Which phone is meant, when the store knows these of its meanings: the only one that it knows. Of two likely ones it is
 * the first otherwise, and of two numbers that exist it is none.
 */
export function settledPhone(reading: OpenReading, known: readonly string[]): string | undefined {
  const [first, second] = meaningsOf(reading);
  const [knowsFirst, knowsSecond] = [known.includes(first), known.includes(second)];
  if (knowsSecond && !knowsFirst) return second;
  return reading.kind === 'likely' || knowsFirst !== knowsSecond ? first : undefined;
}
