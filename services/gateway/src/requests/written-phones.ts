import { readPhone } from '@mostrador/kit/phones/read-phone';
import type { TSchema } from '@sinclair/typebox';

/** Brings the phones of a request's part into digits with country code. Leaves what it cannot read to validation. */
export type ReadPhones = <Part>(part: Part, country: string | null) => Part;

/** Makes the reader for the phones (`WrittenPhone`) among the members of a schema. It changes a copy. */
export function phonesReader(schema: TSchema | undefined): ReadPhones {
  const names = Object.entries<TSchema>(schema?.properties ?? {}).flatMap(([name, { format }]) =>
    format === 'phone' ? name : [],
  );
  return (part, country) => {
    if (typeof part !== 'object' || part === null) return part;
    const read = names.flatMap((name) => {
      const written: unknown = Object.hasOwn(part, name) ? part[name as keyof typeof part] : undefined;
      return typeof written === 'string' ? [[name, readPhone(written, country) ?? written]] : [];
    });
    return read.length > 0 ? { ...part, ...Object.fromEntries(read) } : part;
  };
}
