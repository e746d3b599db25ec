import { type Lead, listDuplicateLeads, type ReplyOf } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { shown, table } from '../terminal.ts';

type Options = { store?: string; json?: boolean };

export const listDuplicatesCommand = (admin: Admin): Command =>
  verb('duplicates', 'List leads that have one phone in different forms', [
    'lead duplicates --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .addHelpText(
      'after',
      `
5531977776666 and 553177776666 are one person: Brazil's ninth digit, Mexico's 521 and Argentina's 15 make no difference.
New leads are matched without them. This command lists the leads from before, the oldest of each person first. Until
\`lead merge\` merges them, they are two leads, and each is found first by its own form of the phone.

It also lists the leads whose digits are two numbers, one of them in the store's country. Until version 0.2.0 a national
number that was written as digits alone could become the foreign one: 51987650001 of a store in Brazil is +51 987650001 in
Peru. Look at each of them, and give it the right phone: docs/operations/duplicate-leads.md.`,
    )
    .action(async (options: Options) => {
      const { id, country } = await existingStore(admin, options.store);
      printResult(admin, options, await allDuplicates(admin, id, country ?? undefined), people);
    });

type Misread = ReplyOf<typeof listDuplicateLeads>['misread'][number];
type Found = { readonly duplicates: readonly (readonly Lead[])[]; readonly misread: readonly Misread[] };

/**
 * The leads of each person who has several, the oldest first. With the store's country also the leads whose national
 * number may have been read as a foreign one.
 */
export async function allDuplicates(admin: Admin, storeId: string, country?: string): Promise<Found> {
  const duplicates: Lead[][] = [];
  const misread: Misread[] = [];
  let next: string | null | undefined;
  do {
    const body = { ...(country && { country }), ...(typeof next === 'string' && { after_id: next }) };
    const part = await admin.platform.call(listDuplicateLeads, { body }, storeId);
    duplicates.push(...part.duplicates);
    misread.push(...part.misread);
    next = part.next;
  } while (next !== null);
  return { duplicates, misread };
}

const people = ({ duplicates, misread }: Found): string =>
  [
    duplicates.length === 0
      ? 'There are no duplicates.'
      : table(
          ['PHONE', 'LEAD', 'NAME', 'STATUS', 'MESSAGES', 'CREATED'],
          duplicates.flatMap((leads) => leads.map((lead) => [lead.customer_phone ?? '', ...cellsOf(lead)])),
        ),
    ...(misread.length === 0
      ? []
      : [
          'These digits are two numbers. Check which one the customer has:',
          table(
            ['STORED AS', 'MAY BE', 'LEAD', 'NAME', 'STATUS', 'MESSAGES', 'CREATED'],
            misread.map(({ lead, national }) => [`+${lead.customer_phone}`, `+${national}`, ...cellsOf(lead)]),
          ),
        ]),
  ].join('\n\n');

const cellsOf = ({ id, name, status, interaction_count, created_at }: Lead): string[] => [
  ...[id, shown(name), status, String(interaction_count), created_at],
];
