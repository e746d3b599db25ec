import { type Lead, listDuplicateLeads } from '@mostrador/contracts';
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
\`lead merge\` merges them, they are two leads, and each is found first by its own form of the phone.`,
    )
    .action(async (options: Options) => {
      const storeId = await existingStore(admin, options.store);
      printResult(admin, options, { duplicates: await allDuplicates(admin, storeId) }, people);
    });

/** The leads of each person who has several, the oldest first. */
export async function allDuplicates(admin: Admin, storeId: string): Promise<Lead[][]> {
  const duplicates: Lead[][] = [];
  let next: string | null | undefined;
  do {
    const body = typeof next === 'string' ? { after_id: next } : {};
    const part = await admin.platform.call(listDuplicateLeads, { body }, storeId);
    duplicates.push(...part.duplicates);
    next = part.next;
  } while (next !== null);
  return duplicates;
}

const people = ({ duplicates }: { duplicates: readonly (readonly Lead[])[] }): string =>
  duplicates.length === 0
    ? 'There are no duplicates.'
    : table(
        ['PHONE', 'LEAD', 'NAME', 'STATUS', 'MESSAGES', 'CREATED'],
        duplicates.flatMap((leads) =>
          leads.map((lead) => [
            lead.customer_phone,
            lead.id,
            shown(lead.name),
            lead.status,
            String(lead.interaction_count),
            lead.created_at,
          ]),
        ),
      );
