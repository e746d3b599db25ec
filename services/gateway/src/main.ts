import { loadConfig } from '@mostrador/kit/process/config';
import { run } from '@mostrador/kit/process/run';
import { gatewayConfig } from './config.ts';
import { startGateway } from './start.ts';

const config = loadConfig(gatewayConfig);
run('gateway', (running) => startGateway(config, running), { config });
