import { loadConfig } from '@mostrador/kit/process/config';
import { run } from '@mostrador/kit/process/run';
import { gatewayConfig } from './config.ts';
import { startGateway } from './start.ts';

const config = loadConfig(gatewayConfig);
// The drain delay comes before the stop, so requests in progress keep their whole time.
const shutdownMs = config.SHUTDOWN_TIMEOUT_MS + config.DRAIN_DELAY_MS;
run('gateway', (running) => startGateway(config, running), { config: { ...config, SHUTDOWN_TIMEOUT_MS: shutdownMs } });
