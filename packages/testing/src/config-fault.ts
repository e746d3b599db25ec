import { ConfigError, readConfig } from '@mostrador/kit/process/config';

/** What a process says of this environment before it ends. */
export function configFaultOf(schema: Parameters<typeof readConfig>[0], env: NodeJS.ProcessEnv): string {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration is accepted');
}
