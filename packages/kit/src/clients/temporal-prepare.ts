import { searchAttributes } from '@mostrador/contracts/workflows';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NotReady } from '../process/health.ts';
import { patiently } from '../process/patiently.ts';
import type { TemporalAddress } from './temporal-address.ts';
import { temporalFaults } from './temporal-fault.ts';
import { assertNamespace, assertTypes, keyword } from './temporal-namespace.ts';

export type PreparedNamespace = {
  /** Whether it did not exist. */
  readonly created: boolean;
  /** How long Temporal keeps closed workflows, in days. */
  readonly retentionDays: number;
  /** The search attributes that it lacked. */
  readonly added: readonly string[];
};

const daySeconds = 86_400;
const newRetentionDays = 7;
const connectLimitMs = 5_000;
/** A server knows a new namespace, or a new attribute, within seconds. */
const knownWithinMs = 60_000;

// gRPC status codes (https://grpc.io/docs/guides/status-codes/).
const notFound = 5;
const alreadyExists = 6;

/**
 * Creates the namespace when it does not exist, sets its retention when `retentionDays` is given, and adds the search
 * attributes that it lacks. Resolves when workflows can start in it. It can be repeated.
 *
 * @param options.retentionDays default: 7 for a new namespace, and unchanged for one that exists
 * @throws Error that says what Temporal refuses, and what to do
 */
export async function prepareNamespace(options: {
  readonly server: TemporalAddress;
  readonly namespace: string;
  readonly retentionDays?: number;
  readonly log: { info(text: string): void };
}): Promise<PreparedNamespace> {
  const { server, namespace, retentionDays, log } = options;
  const connection = await connect(server);
  const retentionOf = (days: number) => msToTs(days * daySeconds * 1000);
  try {
    const { workflowService, operatorService } = connection;
    const found = await unless(notFound, workflowService.describeNamespace({ namespace }));
    if (!found) {
      const workflowExecutionRetentionPeriod = retentionOf(retentionDays ?? newRetentionDays);
      await unless(
        alreadyExists,
        explained(
          workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod }),
          `create the namespace ${namespace}: create it with an administrator's credentials, or in the console of Temporal Cloud, and repeat this command.`,
        ),
      );
      log.info(`created the namespace ${namespace}`);
    }
    const before = Number(found?.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / daySeconds;
    if (found && retentionDays !== undefined && before !== retentionDays) {
      const config = { workflowExecutionRetentionTtl: retentionOf(retentionDays) };
      await explained(
        workflowService.updateNamespace({ namespace, config }),
        `change the retention of ${namespace}: leave --retention-days out, or set it where the namespace was created.`,
      );
      log.info(`changed the retention of ${namespace} from ${before} to ${retentionDays} days`);
    }
    if (found) assertTypes((await operatorService.listSearchAttributes({ namespace })).customAttributes, namespace);
    const patience = { ...untilKnown, until: Date.now() + knownWithinMs };
    const added = await patiently(patience, async () => {
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      const missing = Object.values(searchAttributes).filter((name) => !(name in customAttributes));
      if (missing.length === 0) return missing;
      await explained(
        operatorService.addSearchAttributes({
          namespace,
          searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
        }),
        `add the search attributes ${missing.join(', ')} of type Keyword to ${namespace}: create them with an administrator's credentials, or in the console of Temporal Cloud.`,
      );
      log.info(`added the search attributes ${missing.join(', ')}`);
      return missing;
    });
    await patiently(patience, () => assertNamespace(connection, namespace));
    return {
      created: !found,
      retentionDays: found ? (retentionDays ?? before) : (retentionDays ?? newRetentionDays),
      added,
    };
  } finally {
    await connection.close();
  }
}

async function connect(server: TemporalAddress): Promise<Connection> {
  try {
    return await Connection.connect({ ...server, connectTimeout: connectLimitMs });
  } catch (cause) {
    throw await temporalFaults(server)(cause, connectLimitMs);
  }
}

/** The answer, or undefined when the call failed with this gRPC code. */
async function unless<T>(code: number, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) === code) return undefined;
    throw error;
  }
}

/** No permission, or no such call: the credentials of Temporal Cloud may not administer. */
const denied = new Set([7, 12]);

async function explained<T>(answer: Promise<T>, refused: string): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (denied.has(codeOf(cause))) throw new Error(`Temporal does not let this user ${refused}`, { cause });
    throw cause;
  }
}

const codeOf = (error: unknown): number => (error as { code?: number }).code ?? 0;

/** Some calls fail because not every part of the server knows the namespace or the attributes yet. */
const untilKnown = {
  pauseMs: () => 250,
  mayPass: (error: unknown) => error instanceof NotReady || codeOf(error) === notFound,
};
