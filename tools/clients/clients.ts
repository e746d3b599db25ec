import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import type { Client } from './client.ts';
import { run } from './run.ts';

const tool = (name: string): string => join(root, 'node_modules/.bin', name);

const python: Client = {
  name: 'python',
  generator: 'python',
  models: { folder: 'openapi_client/models', file: /^(?!__init__)(\w+)\.py$/ },
  call: ({ folder, smoke, python }, input) => callPython(folder, smoke, python, input),
};

const openapiPythonClient: Client = {
  name: 'openapi-python-client',
  async generate({ folder, document, python }) {
    await run(join(python, 'openapi-python-client'), ['generate', '--path', document, '--fail-on-warning'], {
      cwd: folder,
      env: { PATH: `${python}:${process.env.PATH}` },
    });
  },
  call: ({ folder, smoke, python }, input) => callPython(join(folder, 'mostrador-client'), smoke, python, input),
};

async function callPython(folder: string, smoke: string, python: string, input: NodeJS.ProcessEnv): Promise<void> {
  await run(join(python, 'python'), ['-B', join(smoke, 'smoke.py')], {
    cwd: folder,
    env: { ...input, PYTHONPATH: folder, NO_PROXY: '127.0.0.1,localhost' },
  });
}

const java: Client = {
  name: 'java',
  generator: 'java',
  models: { folder: 'src/main/java/org/openapitools/client/model', file: /^(?!AbstractOpenApiSchema)(\w+)\.java$/ },
  async compile({ folder, smoke, cache }) {
    cpSync(join(smoke, 'Smoke.java'), join(folder, 'src/main/java/Smoke.java'));
    await run(
      'mvn',
      [
        ...['--batch-mode', '--quiet', `-Dmaven.repo.local=${join(cache, 'maven')}`, '-Dmaven.test.skip=true'],
        ...['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'],
      ],
      { cwd: folder },
    );
  },
  async call({ folder }, input) {
    const libraries = (await readFile(join(folder, 'classpath.txt'), 'utf8')).trim();
    await run('java', ['-cp', `target/classes:${libraries}`, 'Smoke'], { cwd: folder, env: input });
  },
};

const go: Client = {
  name: 'go',
  generator: 'go',
  models: { folder: '.', file: /^model_(\w+)\.go$/ },
  async compile({ folder, smoke, cache }) {
    cpSync(smoke, join(folder, 'smoke'), { recursive: true });
    // Without the path of the folder, which is another in each run, Go knows what it has compiled before.
    await run('go', ['build', '-trimpath', '-o', 'smoke.bin', './smoke'], {
      cwd: folder,
      env: {
        GOCACHE: join(cache, 'go'),
        GOPATH: join(cache, 'gopath'),
        GOFLAGS: '-mod=mod',
        GOTOOLCHAIN: 'local',
        CGO_ENABLED: '0',
        // Go's telemetry stays in the cache.
        XDG_CONFIG_HOME: join(cache, 'go-config'),
      },
    });
  },
  async call({ folder }, input) {
    await run(join(folder, 'smoke.bin'), [], { cwd: folder, env: input });
  },
};

const typescriptFetch: Client = {
  name: 'typescript-fetch',
  generator: 'typescript-fetch',
  models: { folder: 'models', file: /^(?!index)(\w+)\.ts$/ },
  async compile({ folder, smoke }) {
    // Its imports have no extensions, so a build comes before Node.
    await compileTypescript(folder, ['index.ts'], {
      // The generated checks of members rely on an implicit `any`.
      ...{ strict: true, noImplicitAny: false, declaration: true, outDir: 'dist', rootDir: '.' },
      ...{ module: 'commonjs', moduleResolution: 'bundler' },
    });
    writeFileSync(join(folder, 'dist/package.json'), '{ "type": "commonjs" }');
    const user = join(folder, 'smoke');
    mkdirSync(join(user, 'node_modules'), { recursive: true });
    symlinkSync(join(folder, 'dist'), join(user, 'node_modules/mostrador-client'));
    await compileSmoke(user, smoke);
  },
  call: ({ folder }, input) => callTypescript(join(folder, 'smoke'), input),
};

const openapiTypescript: Client = {
  name: 'openapi-typescript',
  async generate({ folder, document }) {
    const args = [document, '--output', join(folder, 'schema.d.ts')];
    await run(join(import.meta.dirname, 'node_modules/.bin/openapi-typescript'), args, { cwd: folder });
  },
  async compile({ folder, smoke }) {
    symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
    await compileSmoke(folder, smoke);
  },
  call: ({ folder }, input) => callTypescript(folder, input),
};

async function compileSmoke(folder: string, smoke: string): Promise<void> {
  cpSync(join(smoke, 'smoke.ts'), join(folder, 'smoke.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const options = { strict: true, noUncheckedIndexedAccess: true, noEmit: true, allowImportingTsExtensions: true };
  await compileTypescript(folder, ['smoke.ts'], {
    ...options,
    ...{ module: 'nodenext', types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  });
}

async function compileTypescript(folder: string, files: readonly string[], options: object): Promise<void> {
  const compilerOptions = { target: 'es2022', lib: ['es2022', 'dom'], types: [], skipLibCheck: false, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(tool('tsc'), ['--project', 'tsconfig.json'], { cwd: folder });
}

async function callTypescript(folder: string, input: NodeJS.ProcessEnv): Promise<void> {
  await run(process.execPath, ['smoke.ts'], { cwd: folder, env: input });
}

/** There is no .NET here, so this client is only generated. */
const csharp: Client = {
  name: 'csharp',
  generator: 'csharp',
  models: { folder: 'src/Org.OpenAPITools/Model', file: /^(?!AbstractOpenAPISchema)(\w+)\.cs$/ },
};

export const clients: readonly Client[] = [
  python,
  java,
  go,
  typescriptFetch,
  csharp,
  openapiPythonClient,
  openapiTypescript,
];
