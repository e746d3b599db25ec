import {
  fileVariable,
  portsOf,
  stopSeconds,
  type Variable,
  variablesOf,
} from '../../packages/platform/src/environment.ts';
import {
  memoryLimitMiB,
  nodeFlags,
  type ProcessName,
  processes,
  processNames,
  serviceNames,
  stopOrder,
} from '../../packages/platform/src/processes.ts';

const folder = 'infra/systemd';
const home = '/opt/mostrador';
const settings = '/etc/mostrador';
const note = '# Written by `node_modules/.bin/node tools/platform/write.ts`. Change it with `systemctl edit`.';
const unitOf = (process: ProcessName): string => `mostrador-${process}.service`;

/** The units in `infra/systemd`: a process each, the migrations of a schema, and the target of the processes of a host. */
export const systemdUnits = (): Record<string, string> => ({
  ...Object.fromEntries(processNames.map((process) => [`${folder}/${unitOf(process)}`, processUnit(process)])),
  [`${folder}/mostrador-migrate@.service`]: migrateUnit('the migrations of %i'),
  [`${folder}/mostrador-contract@.service`]: migrateUnit('the contract step of %i, after the rollout', ' --contract'),
  [`${folder}/mostrador.target`]: `${note}
[Unit]
Description=Mostrador

[Install]
WantedBy=multi-user.target
`,
});

function processUnit(process: ProcessName): string {
  const { does, kind, program } = processes[process];
  const ports = portsOf(process).map(({ variable, number }) => `${variable}=${number}`);
  const group = stopOrder.findIndex((names) => names.includes(process));
  // systemd stops in the opposite order of After=.
  const stopsBefore = stopOrder.slice(group + 1).flat();
  const cache = `%C/mostrador-${process}`;
  return `${note}
[Unit]
Description=Mostrador ${process}: ${does}
PartOf=mostrador.target
Wants=network-online.target
After=${['network-online.target', 'time-sync.target', ...stopsBefore.map(unitOf)].join(' ')}

[Service]
Type=exec
ExecStart=${home}/node_modules/.bin/node ${[...nodeFlags, program].join(' ')}
WorkingDirectory=${home}
Restart=always
RestartSec=2s
TimeoutStopSec=${stopSeconds(process)}s
MemoryMax=${memoryLimitMiB}M

# Settings. A file counts more than a line here.
Environment=LOG_FORMAT=json ${ports.join(' ')} NODE_COMPILE_CACHE=${cache}/node
${kind === 'worker' ? `Environment=WORKFLOW_BUNDLE_CACHE=${cache}/workflows\n` : ''}EnvironmentFile=${settings}/common.env
EnvironmentFile=-${settings}/${process}.env
CacheDirectory=mostrador-${process}

# Secrets. Only root may read the files; the process gets copies.
${variablesOf(process)
  .filter(({ secret }) => secret)
  .map((variable) => secretLines(variable, process))
  .join('\n')}
${hardening(kind === 'gateway' ? 65_536 : 16_384)}
[Install]
WantedBy=mostrador.target
`;
}

/** The instance is the schema: `systemctl start mostrador-migrate@crm`. */
function migrateUnit(does: string, option = ''): string {
  const [service] = serviceNames;
  const program = processes[service as ProcessName].migrateProgram?.replace(`/${service}/`, '/%i/');
  const secrets = variablesOf('migrate').filter(({ secret }) => secret);
  return `${note}
[Unit]
Description=Mostrador: ${does}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=${home}/node_modules/.bin/node ${program}${option}
WorkingDirectory=${home}
TimeoutStartSec=infinity
Environment=LOG_FORMAT=json
EnvironmentFile=${settings}/common.env

# Secrets. Only root may read the files; the command gets copies.
${secrets.map((variable) => secretLines(variable, '%i-migrate')).join('\n')}
${hardening(1024)}`;
}

function secretLines({ name, required }: Variable, holder: string): string {
  const lines = [
    `LoadCredential=${name}:${settings}/secrets/${holder}/${name}`,
    `Environment=${fileVariable(name)}=%d/${name}`,
  ];
  return lines.map((line) => (required ? line : `#${line}`)).join('\n');
}

/** \`systemd-analyze security\` rates it. MemoryDenyWriteExecute= is missing, because V8 compiles while it runs. */
const hardening = (files: number): string => `
# What the process may do on this host: nothing but to run and to use the network.
DynamicUser=yes
LimitNOFILE=${files}
UMask=0077
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
`;
