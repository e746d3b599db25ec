import { NoAnswer } from '@mostrador/kit/process/health';
import { createLog } from '@mostrador/kit/process/log';
import { patiently } from '@mostrador/kit/process/patiently';
import type { DeploymentConfig } from '../../config.ts';
import { temporalServer } from '../prepare-temporal.ts';
import type { Finding } from './finding.ts';

/** One call has less than a second, as for a process that is to become ready. A server that is busy answers a later one. */
const answersWithinMs = 10_000;
/** Wrong settings end the check at once. */
const untilAnswered = { pauseMs: () => 250, mayPass: (error: unknown) => error instanceof NoAnswer };

/** Asks for the namespace and its search attributes, and tries what a service does, with the same credentials. */
export async function checkTemporal(config: DeploymentConfig): Promise<Finding[]> {
  const namespace = config.TEMPORAL_NAMESPACE;
  const server = temporalServer(config);
  // Imported here, because Temporal's client takes a while to load.
  const { connectTemporal } = await import('@mostrador/kit/clients/temporal');
  const log = createLog({ service: 'admin', level: 'silent', format: 'json' });
  const temporal = connectTemporal({ ...server, namespace, log });
  const finding = (ok: boolean, detail: string): Finding => ({
    ...{ server: 'temporal', what: `namespace ${namespace}` },
    ...{ ok, detail },
  });
  try {
    await patiently({ ...untilAnswered, until: Date.now() + answersWithinMs }, () => temporal.checkNamespace());
    return [finding(true, 'has the search attributes, and lets a process work')];
  } catch (error) {
    const { message } = error as Error;
    const isMissing = /: create (it|them)\b/.test(message);
    return [finding(false, isMissing ? `${message} \`platform temporal\` does.` : message)];
  } finally {
    await temporal.close();
  }
}
