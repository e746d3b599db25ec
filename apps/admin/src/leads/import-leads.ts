import { type Command, Option } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { wholeNumber } from '../check.ts';
import { Ended, exitCodes, NotRunning, UsageError } from '../exit.ts';
import { record, shown } from '../terminal.ts';
import { type Import, importFile } from './import-file.ts';
import { openLeadFile } from './lead-file.ts';
import type { PhoneRules } from './lead-row.ts';
import { PlatformAway } from './retrying.ts';

type Options = {
  store?: string;
  phones?: PhoneRules['phones'];
  ignoreOtherColumns?: boolean;
  patience: unknown;
  json?: boolean;
};

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

export const importLeadsCommand = (admin: Admin): Command =>
  verb('import', 'Create leads from a CSV file; existing leads stay unchanged', [
    `lead import --store ${store} leads.csv`,
    `lead import --store ${store} leads.csv --phones national`,
    `lead import --store ${store} leads.csv.rejected.csv`,
  ])
    .argument(
      '<file>',
      'CSV in UTF-8 with a header: name and customer_phone, optionally status, seller_id, external_id, email and tags',
    )
    .option('--store <id>', 'the store (required)')
    .addOption(
      new Option(
        '--phones <kind>',
        'how to read digits that are a number both of the store’s country and of another one; without it such a row is rejected',
      ).choices(['national', 'international']),
    )
    .option('--ignore-other-columns', 'skip columns that a lead does not have, instead of rejecting the file')
    .option('--patience <seconds>', 'how long to retry while the platform does not answer', wholeNumber, 60)
    .addHelpText(
      'after',
      `
Each row follows the rules of POST /leads. The phone +55 (11) 90000-0000 is stored as 5511900000000, and in a store in
Brazil also (11) 90000-0000. Digits alone may be two numbers: 51987650001 is a mobile in Brazil, and one in Peru. Such a
row is rejected unless --phones says how the file writes its phones. Rejected rows are written to <file>.rejected.csv with their line and the reason. A new run replaces that file. After you correct it, you
can import it like any other.

Tags are separated by commas inside their cell. A store has one lead per phone and per external_id. Of several rows with
the same one, only the first becomes a lead. So you can import
the same file again at any time, for example to continue after Ctrl-C.

Exit code 1 when rows were rejected, 130 after Ctrl-C.`,
    )
    .action(async (path: string, options: Options) => {
      const { patience } = options;
      if (typeof patience !== 'number' || patience < 0)
        throw new UsageError(['--patience must be a number of seconds']);
      const file = await openLeadFile(path, { ignoreOthers: options.ignoreOtherColumns ?? false });
      const { id: storeId, country } = await existingStore(admin, options.store);
      const startedMs = Date.now();
      const { signal, release } = admin.terminal.interruption();
      const quiet = options.json ?? false;
      const done = await importFile(admin, file, {
        storeId,
        country,
        phones: options.phones,
        patienceMs: patience * 1000,
        quiet,
        signal,
      });
      release();
      tell(admin, options, done, signal.aborted, Date.now() - startedMs);
    });

/** Prints the result, then throws the error that sets the exit code. */
function tell(admin: Admin, options: Options, done: Import, interrupted: boolean, elapsedMs: number): void {
  const { counts, rejectedPath, failure } = done;
  const complete = failure === undefined && !interrupted;
  const { rows, created, existing, rejected, phonesChanged, answersLost } = counts;
  const result = {
    complete,
    rows,
    created,
    existing,
    rejected,
    rejected_file: rejectedPath,
    phones_changed: phonesChanged,
    answers_lost: answersLost,
    seconds: Math.round(elapsedMs / 100) / 10,
  };
  printResult(admin, options, result, () =>
    record({
      'rows read': rows,
      created,
      existing,
      rejected,
      ...(rejectedPath === null ? {} : { 'rejected rows are in': shown(rejectedPath) }),
      'phones changed to digits': phonesChanged,
      seconds: result.seconds,
    }),
  );
  if (!options.json) {
    if (answersLost > 0)
      admin.terminal.note(
        'Some answers were lost. This run may have created some of the leads that count as existing.',
      );
    if (!complete) admin.terminal.note('The import is not complete. Run the same command again to continue.');
  }
  if (failure instanceof PlatformAway && !interrupted) throw new NotRunning('it stopped answering during the import');
  if (interrupted) throw new Ended(exitCodes.interrupted);
  if (failure !== undefined) throw failure;
  if (rejected > 0) throw new Ended(exitCodes.refused);
}
