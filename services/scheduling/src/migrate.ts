import { join } from 'node:path';
import { loadConfig } from '@mostrador/kit/config';
import { createLog } from '@mostrador/kit/log';
import { migrate } from '@mostrador/kit/migrate';
import { migrateConfig } from './config.ts';

const config = loadConfig(migrateConfig);
const log = createLog({ service: 'scheduling', level: config.LOG_LEVEL, format: config.LOG_FORMAT });
const directory = join(import.meta.dirname, '../migrations');
const { applied } = await migrate({ url: config.DATABASE_OWNER_URL, schema: 'scheduling', directory, log });
log.info({ applied }, 'migrated');
