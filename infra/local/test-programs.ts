import { providePrograms } from '@mostrador/local-platform/programs';

/** Bundles the programs that tests start as processes. Tests find their folder in TEST_PROGRAMS. */
export default async function provideTestPrograms(): Promise<void> {
  process.env.TEST_PROGRAMS = await providePrograms();
}
