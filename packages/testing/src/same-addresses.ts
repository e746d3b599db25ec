import { registerHooks } from 'node:module';

// Vitest adds the time to the addresses of test files and of set-up files, so that a worker runs one again. Node's compile
// cache keeps code by address, so it would grow with each run and never help. And vitest shows no lines of a file with such
// an address. A worker's own count, from the second time on, runs a file again too.

const imports = new Map<string, number>();
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const [address = '', time] = found.url.split('?vitest=');
    if (time === undefined) return found;
    const count = (imports.get(address) ?? 0) + 1;
    imports.set(address, count);
    return { ...found, url: count === 1 ? address : `${address}?vitest=${count}` };
  },
});
