import type { Socket } from 'node:net';

/** A point of a conversation at which the proxy stops a connection. */
export type Hold = {
  /**
   * Resolves when the proxy has stopped a connection at the point.
   *
   * @throws Error when no connection comes to the point within two minutes. It names the point
   */
  readonly reached: Promise<void>;
  /** For how long the connection has been stopped. 0: none is yet. */
  readonly stoppedMs: number;
  /** Delivers the held bytes and lets the connection continue. If none was stopped yet, none will be. */
  release(): void;
  /** Breaks the connection without delivering the held bytes, as if a process was killed at the point. */
  drop(): void;
};

/** `request`: before the server gets the text. `answer`: before its answer. `delivery`: before the client gets it. */
export type HoldKind = 'request' | 'answer' | 'delivery';

export type Rule = Hold & {
  kind: HoldKind;
  text: string;
  after: string | undefined;
  taken: boolean;
  stop(connection: Held): void;
};

/** As `waitFor`. */
const giveUpAfterMs = 120_000;

type Held = { release(): void; drop(): void };

export function createRule(point: Pick<Rule, 'kind' | 'text' | 'after'>, onRelease: () => void): Rule {
  const reached = Promise.withResolvers<void>();
  let held: Held | undefined;
  let stoppedAt: number | undefined;
  return {
    ...point,
    taken: false,
    get reached() {
      return orGiveUp(reached.promise, `no connection came to the ${point.kind} "${point.text}"`);
    },
    get stoppedMs() {
      return stoppedAt === undefined ? 0 : performance.now() - stoppedAt;
    },
    stop(connection) {
      this.taken = true;
      stoppedAt = performance.now();
      held = connection;
      reached.resolve();
    },
    release() {
      onRelease();
      held?.release();
    },
    drop() {
      onRelease();
      held?.drop();
    },
  };
}

async function orGiveUp(reached: Promise<void>, message: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), giveUpAfterMs);
  });
  await Promise.race([reached, tooLate]).finally(() => clearTimeout(timer));
}

/** Forwards the chunks of one direction. From the point of a rule on, it holds them. */
export function forward(
  to: Socket,
  rules: ReadonlySet<Rule>,
  kind: HoldKind,
  isFrozen: () => boolean,
  also: { passed?(isAt: (rule: Rule) => boolean): void; holdBefore?(): Rule | undefined },
): { chunk(chunk: Buffer): void; end(close: () => void): void } {
  let kept: Buffer[] | undefined;
  let atEnd: (() => void) | undefined;
  // A text may be split between two chunks, so the end of the previous chunk is searched again.
  let before = '';
  /** How many bytes have come before `before`. */
  let passed = 0;
  /** Where the other text of a rule has ended. */
  const onTheWay = new WeakMap<Rule, number>();
  const hold = (rule: Rule, chunk: Buffer) => {
    kept = [chunk];
    rule.stop({
      release() {
        for (const piece of kept ?? []) to.write(piece);
        kept = undefined;
        atEnd?.();
      },
      drop() {
        kept = [];
        to.destroy();
      },
    });
  };
  const take = (chunk: Buffer) => {
    if (isFrozen()) return;
    if (kept) {
      kept.push(chunk);
      return;
    }
    const text = before + chunk.toString('latin1');
    const known = before.length;
    const startsAt = passed;
    before = text.slice(-longest(rules));
    passed += text.length - before.length;
    /** Where a text ends that ends in this chunk. What ended earlier may have come before the rule. */
    const endOf = (sought: string, from = 0) => {
      const at = text.indexOf(sought, Math.max(from, known - sought.length + 1));
      return at < 0 ? undefined : at + sought.length;
    };
    for (const rule of rules) {
      const end = rule.after === undefined || onTheWay.has(rule) ? undefined : endOf(rule.after);
      if (end !== undefined) onTheWay.set(rule, startsAt + end);
    }
    const isAt = (rule: Rule) => {
      const from = rule.after === undefined ? 0 : onTheWay.get(rule);
      return from !== undefined && endOf(rule.text, from - startsAt) !== undefined;
    };
    const rule =
      also.holdBefore?.() ??
      [...rules].find((candidate) => candidate.kind === kind && !candidate.taken && isAt(candidate));
    if (rule) {
      passed += before.length;
      before = '';
      hold(rule, chunk);
      return;
    }
    to.write(chunk);
    also.passed?.(isAt);
  };
  return {
    chunk: take,
    // The server's close is held like its bytes. The client's close is not.
    end: (close) => {
      if (kept && kind === 'delivery') atEnd = () => to.end();
      else close();
    },
  };
}

const longest = (rules: ReadonlySet<Rule>): number =>
  Math.max(1, ...[...rules].map(({ text, after = '' }) => Math.max(text.length, after.length) - 1));
