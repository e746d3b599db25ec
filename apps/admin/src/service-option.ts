import { UsageError } from './exit.ts';

/** The service of `--service`, or all without it. Throws UsageError for an unknown name. */
export function servicesOf<Service extends string>(
  name: string | undefined,
  services: readonly Service[],
): readonly Service[] {
  if (name === undefined) return services;
  const service = services.find((each) => each === name);
  if (!service) throw new UsageError([`--service must be one of ${services.join(', ')}`]);
  return [service];
}
