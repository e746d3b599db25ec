import { searchAttributes } from '@mostrador/contracts/workflows';
import type { Connection } from '@temporalio/client';
import { type Check, type NoAnswer, NotReady } from '../process/health.ts';
import type { TemporalAddress } from './temporal-address.ts';
import { temporalFaults } from './temporal-fault.ts';

/** The type of our search attributes: temporal.api.enums.v1.IndexedValueType. */
export const keyword = 2;

// gRPC status codes (https://grpc.io/docs/guides/status-codes/).
const permissionDenied = 7;
/** Temporal accepts the identity, and not the request. */
const refusals = new Set([3, 9]);

/** What Temporal says about a namespace that this process cannot use, by gRPC status. Other errors say nothing about it. */
const reasons: Readonly<Record<number, (namespace: string) => string>> = {
  5: (namespace) => `Temporal has no namespace ${namespace}: create it, or set TEMPORAL_NAMESPACE.`,
  [permissionDenied]: (namespace) =>
    `Temporal denies access to the namespace ${namespace}: check the credentials of this process.`,
  12: () => 'What answers at TEMPORAL_ADDRESS is not Temporal: correct its host and port.',
  16: () => 'Temporal rejects the credentials: check TEMPORAL_API_KEY and the client certificate.',
};

/** The part of a connection that both of Temporal's clients have. */
export type TemporalCalls = Pick<Connection, 'workflowService' | 'operatorService' | 'withDeadline'>;

export type TemporalChecks = {
  /**
   * Throws unless Temporal answers a call on the namespace within a second: `NoAnswer` when it is down, `NotReady` when
   * the settings are wrong.
   */
  readonly ping: Check;
  /** The same, and `NotReady` when this process may not do its work, or when a search attribute is missing. */
  readonly checkNamespace: Check;
};

/** Less than a check may take, and together with the look at the connection, too. */
const callLimitMs = 800;
const longestLookMs = 950;
const shortestLookMs = 100;

/**
 * The checks of a connection, with the identity of the process. GetSystemInfo needs no rights, so it proves nothing.
 * DescribeNamespace needs the right to read in the namespace, which the right to write includes.
 *
 * @param options.current throws when the process is not connected yet
 * @param options.attempt makes a call of this process's work in a form that Temporal refuses after it checked the rights:
 * without it, a credential that may only read would pass
 */
export function temporalChecks(options: {
  readonly address: TemporalAddress;
  readonly namespace: string;
  readonly current: () => TemporalCalls;
  readonly attempt: (calls: TemporalCalls, namespace: string) => Promise<unknown>;
}): TemporalChecks {
  const { address, namespace, current, attempt } = options;
  const faultOf = temporalFaults(address);

  const within = async (work: (calls: TemporalCalls) => Promise<void>): Promise<void> => {
    const startedMs = performance.now();
    try {
      const calls = current();
      await calls.withDeadline(Date.now() + callLimitMs, () => work(calls));
    } catch (cause) {
      const waitMs = Math.max(shortestLookMs, longestLookMs - (performance.now() - startedMs));
      throw await namespaceFault(cause, namespace, faultOf, waitMs);
    }
  };
  return {
    ping: () => within(async (calls) => void (await calls.workflowService.describeNamespace({ namespace }))),
    checkNamespace: () =>
      within(async (calls) => {
        await assertNamespace(calls, namespace);
        await attempt(calls, namespace).catch((error) => {
          if (!refusals.has(codeOf(error))) throw error;
        });
      }),
  };
}

/** Why a call on the namespace failed, then what to do. `faultOf` looks at the connection when the error does not say. */
export async function namespaceFault(
  cause: unknown,
  namespace: string,
  faultOf: ReturnType<typeof temporalFaults>,
  waitMs: number,
): Promise<NotReady | NoAnswer> {
  if (cause instanceof NotReady) return cause;
  const reason = reasons[codeOf(cause)]?.(namespace);
  return reason ? new NotReady(reason, { cause }) : await faultOf(cause, waitMs);
}

/** Throws when the namespace does not exist, or lacks a search attribute: every start of a workflow would fail. */
export async function assertNamespace(
  { workflowService, operatorService }: Pick<TemporalCalls, 'workflowService' | 'operatorService'>,
  namespace: string,
): Promise<void> {
  await workflowService.describeNamespace({ namespace });
  const listed = await operatorService.listSearchAttributes({ namespace }).catch((error) => {
    // The work does not need this right. When an attribute is missing, the first start of a workflow says so.
    if (codeOf(error) === permissionDenied) return undefined;
    throw error;
  });
  if (listed) assertTypes(listed.customAttributes, namespace);
  const missing = Object.values(searchAttributes).filter((name) => listed && !(name in listed.customAttributes));
  if (missing.length === 0) return;
  throw new NotReady(
    `Temporal's namespace ${namespace} lacks the search attributes ${missing.join(', ')} of type Keyword: create them.`,
  );
}

/** Throws when a search attribute exists with another type. Temporal changes no type. */
export function assertTypes(attributes: Readonly<Record<string, unknown>>, namespace: string): void {
  const others = Object.values(searchAttributes).filter((name) => name in attributes && attributes[name] !== keyword);
  if (others.length === 0) return;
  throw new NotReady(
    `Temporal's namespace ${namespace} has the search attributes ${others.join(', ')} of another type than Keyword: remove them with \`temporal operator search-attribute remove\`, or use another namespace. \`platform temporal\` then creates them.`,
  );
}

const codeOf = (error: unknown): number => (error as { code?: number }).code ?? 0;
