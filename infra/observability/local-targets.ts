import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { portsFrom } from '@mostrador/local-platform/ports';
import { processNames } from '../../packages/platform/src/processes.ts';

// Writes targets.json, which prometheus.yaml reads: where the processes of `npm start` have their metrics.

const folder = process.env.LOCAL_DIR ?? join(import.meta.dirname, '../../.local');
const dev = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8')) as { base_url: string };
const { base } = JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')) as { base: number };
const ports = portsFrom(base);
const targets = processNames.map((name) => `127.0.0.1:${name === 'gateway' ? ports.gatewayMetrics : ports[name]}`);
writeFileSync(join(import.meta.dirname, 'targets.json'), `${JSON.stringify([{ targets }], null, 2)}\n`);
process.stdout.write(`The processes behind ${dev.base_url} have their metrics at ${targets.join(', ')}.\n`);
