// Preloaded with `node --import`. The process's clock is then as many milliseconds ahead as this module's URL says.

const aheadMs = Number(new URL(import.meta.url).searchParams.get('ms'));
if (!Number.isSafeInteger(aheadMs)) throw new Error('the URL must say `?ms=` and a whole number of milliseconds');

const Real = Date;
globalThis.Date = new Proxy(Real, {
  construct: (_, args, newTarget) =>
    Reflect.construct(Real, args.length === 0 ? [Real.now() + aheadMs] : args, newTarget),
  get: (_, name) => (name === 'now' ? () => Real.now() + aheadMs : Reflect.get(Real, name)),
});
