import { createLog } from '@mostrador/kit/process/log';
import type { DeploymentConfig } from '../../config.ts';
import { temporalServer } from '../prepare-temporal.ts';
import type { Finding } from './finding.ts';

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
    await temporal.checkNamespace();
    return [finding(true, 'has the search attributes, and lets a process work')];
  } catch (error) {
    return [finding(false, `${(error as Error).message} \`platform temporal\` creates the namespace.`)];
  } finally {
    await temporal.close();
  }
}
