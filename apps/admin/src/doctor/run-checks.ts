import { type Finding, toTime } from './finding.ts';

/** Looks at one part of the platform. What it throws becomes a finding: the check could not be made. */
export type Check = {
  readonly name: string;
  /** Nothing works without what it looks at, so that it is critical when it cannot be made. */
  readonly vital?: boolean;
  /** Ends its work when the signal is aborted, as far as it can. */
  readonly run: (limits: { readonly limitMs: number; readonly signal: AbortSignal }) => Promise<readonly Finding[]>;
};

export type Checked = {
  readonly name: string;
  readonly state: 'done' | 'failed' | 'skipped';
  readonly ms: number;
};

/** The check needs an address that the command does not have. The message says which. */
export class Skipped extends Error {}

/** The check needs a server whose own check says that it does not answer. */
export class ServerDown extends Error {}

/**
 * Runs all checks side by side, each within the limit. One that fails or is late takes no other one with it.
 */
export async function runChecks(
  checks: readonly Check[],
  limitMs: number,
): Promise<{ readonly findings: Finding[]; readonly checks: Checked[] }> {
  const results = await Promise.all(checks.map((check) => runOne(check, limitMs)));
  return { findings: results.flatMap(({ findings }) => findings), checks: results.map(({ checked }) => checked) };
}

async function runOne(
  { name, vital = false, run }: Check,
  limitMs: number,
): Promise<{ findings: readonly Finding[]; checked: Checked }> {
  const startedMs = performance.now();
  const ended = (state: Checked['state'], findings: readonly Finding[]) => ({
    findings,
    checked: { name, state, ms: Math.round(performance.now() - startedMs) },
  });
  const signal = AbortSignal.timeout(limitMs);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${limitMs / 1000} s`)), { once: true });
  });
  try {
    return ended('done', await Promise.race([run({ limitMs, signal }), late]));
  } catch (error) {
    const why = (error as Error).message;
    if (error instanceof Skipped) {
      return ended('skipped', [
        {
          severity: 'note',
          what: `The check of ${name} was skipped`,
          since: null,
          why,
          remedy: `Set it to see ${name}.`,
        },
      ]);
    }
    if (error instanceof ServerDown) return ended('failed', []);
    return ended('failed', [
      {
        severity: vital ? 'critical' : 'warning',
        what: `The check of ${name} could not be made, so this part of the platform is not known`,
        since: toTime(new Date()),
        why,
        remedy:
          'Look at the other findings first: a server that does not answer is often the reason. Then run this again.',
      },
    ]);
  }
}
