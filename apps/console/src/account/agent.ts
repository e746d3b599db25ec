/** The order matters: Edge and Opera also say Chrome, and Chrome also says Safari. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone|\biPad/, 'iOS'],
  [/\bAndroid/, 'Android'],
  [/\bWindows/, 'Windows'],
  [/\bMac OS X/, 'macOS'],
  [/\bLinux/, 'Linux'],
];
const first = (list: readonly (readonly [RegExp, string])[], agent: string) =>
  list.find(([pattern]) => pattern.test(agent))?.[1];

/** The browser and the system that a `User-Agent` names, as far as they are known. */
export const readAgent = (agent: string): { browser?: string; system?: string } => ({
  browser: first(browsers, agent),
  system: first(systems, agent),
});
