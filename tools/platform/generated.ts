import { chartFile } from './chart.ts';
import { composeFile } from './compose.ts';
import { envFiles } from './env-files.ts';
import { environment } from './environment.ts';
import { systemdUnits } from './systemd.ts';

/** The files that are made from the description of the platform, by their path from the root. */
export const generatedFiles = (): Record<string, string> => ({
  'packages/platform/src/environment.json': `${JSON.stringify(environment(), null, 2)}\n`,
  'infra/helm/mostrador/files/platform.json': chartFile(),
  ...composeFile(),
  ...envFiles(),
  ...systemdUnits(),
});
