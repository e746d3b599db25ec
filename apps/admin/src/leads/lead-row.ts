import { ImportedLead } from '@mostrador/contracts';
import {
  type AmbiguousPhone,
  ambiguousPhoneDetail,
  type PhoneReading,
  readPhone,
  withExamplePhone,
} from '@mostrador/kit/phones/read-phone';
import { compile } from '@mostrador/kit/schema/compile';
import { UsageError } from '../exit.ts';
import { isFormula, rejectedHeadings } from './rejected-file.ts';

const required = ['name', 'customer_phone'];
const known = Object.keys(ImportedLead.properties);

/** The columns of a file. */
export type Columns = {
  /** The member of a lead for each column, in order; null for a skipped column. */
  readonly members: readonly (string | null)[];
  /** The file holds rejected rows of an earlier run, so the apostrophes that guard its cells are removed. */
  readonly guarded: boolean;
};

/** The separator of a file: the most frequent of comma, semicolon and tab in its first line. */
export function delimiterOf(firstLine: string): string {
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: firstLine.split(mark).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).mark;
}

/** Parses the header: names in any order and letter case. Throws UsageError with every fault. */
export function columnsOf(header: readonly string[], options: { ignoreOthers: boolean }): Columns {
  const names = header.map((name) => name.trim().toLowerCase());
  const guarded = rejectedHeadings.every((heading, i) => names[i] === heading);
  const members = names.map((name, i) => {
    if (guarded && i < rejectedHeadings.length) return null;
    return known.includes(name) ? name : undefined;
  });
  const faults: string[] = [];
  for (const name of required) if (!members.includes(name)) faults.push(`the file has no column ${name}`);
  for (const name of known) {
    if (members.filter((member) => member === name).length > 1) faults.push(`the file has the column ${name} twice`);
  }
  const others = header.filter((_, i) => members[i] === undefined).map((name) => JSON.stringify(name));
  if (others.length > 0 && !options.ignoreOthers) {
    faults.push(
      `the file has columns that a lead does not have: ${others.slice(0, 20).join(', ')}; ` +
        `a lead has ${known.join(', ')}; --ignore-other-columns skips the others`,
    );
  }
  if (faults.length > 0) throw new UsageError(faults);
  return { members: members.map((member) => member ?? null), guarded };
}

export type ReadLead = { readonly lead: ImportedLead; readonly phoneChanged: boolean } | { readonly fault: string };

const validate = compile(ImportedLead);

/** How the phones of a file are read. */
export type PhoneRules = {
  /** The country that completes national phones. */
  readonly country: string | null;
  /** How to read digits that are a number both with and without the country code of the store. Default: as a fault. */
  readonly phones?: 'national' | 'international' | undefined;
};

/** Reads one row by the rules of POST /leads in a store of the country. An empty cell leaves out the member. */
export function readLead(
  fields: readonly string[],
  { members, guarded }: Columns,
  { country, phones }: PhoneRules,
): ReadLead {
  if (fields.length !== members.length) {
    return { fault: `has ${count(fields.length, 'field')}, but the header has ${count(members.length, 'column')}` };
  }
  const lead: Record<string, unknown> = {};
  let phoneChanged = false;
  for (const [i, member] of members.entries()) {
    const cell = fields[i] ?? '';
    if (cell.includes('\ufffd')) return { fault: 'is not UTF-8 text: save the file as “CSV UTF-8”' };
    if (member === null) continue;
    const value = (guarded ? unguarded(cell) : cell).trim();
    if (value === '') continue;
    if (member === 'customer_phone') {
      const reading = readPhone(value, country);
      const phone = phoneOf(reading, phones);
      if (phone === undefined && reading.kind === 'ambiguous') return { fault: ambiguousPhoneFault(reading) };
      lead[member] = phone ?? value;
    } else lead[member] = member === 'tags' ? tagsOf(value) : value;
    phoneChanged ||= member === 'customer_phone' && lead[member] !== value;
  }
  const faults = withExamplePhone(validate(lead), country);
  if (faults.length > 0)
    return { fault: faults.map(({ pointer, detail }) => `${pointer.slice(2)} ${detail}`).join('; ') };
  return { lead: lead as ImportedLead, phoneChanged };
}

function phoneOf(reading: PhoneReading, phones: PhoneRules['phones']): string | undefined {
  if (reading.kind === 'ambiguous') return phones && reading[phones];
  if (reading.kind === 'likely') return phones === 'international' ? reading.other : reading.phone;
  return reading.kind === 'one' ? reading.phone : undefined;
}

const ambiguousPhoneFault = (reading: AmbiguousPhone): string =>
  `customer_phone ${ambiguousPhoneDetail(reading)}, or import the file with --phones national or international`;

const tagsOf = (cell: string): string[] => cell.split(',').filter((tag) => tag.trim() !== '');

/** Removes the apostrophe that kept a spreadsheet from reading the cell as a formula. */
const unguarded = (cell: string): string => (cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell);

const count = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? '' : 's'}`;
