import { environment } from './environment.ts';

/** The files that are made from the description of the platform, by their path from the root. */
export const generatedFiles = (): Record<string, string> => ({
  'packages/platform/src/environment.json': `${JSON.stringify(environment(), null, 2)}\n`,
});
