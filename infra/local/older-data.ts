import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The release with whose base migrations the data begins. Nothing was released before it, so no migration leads here. */
const firstRelease = '0.2.0';

/** What `npm start` keeps from start to start. The secrets stay: they belong to the data that is kept aside, too. */
const data = ['postgres', 'nats', 'temporal', 'demo.json'];

/** Moves data from before the first release into a folder of its own, and says so. The start then begins with no data. */
export function keepOlderDataAside(localDirectory: string, say: (text: string) => void): void {
  const mark = join(localDirectory, 'data-version');
  if (existsSync(mark)) return;
  const older = data.filter((name) => existsSync(join(localDirectory, name)));
  if (older.length > 0) {
    const aside = join(localDirectory, `before-${firstRelease}`);
    mkdirSync(aside, { recursive: true });
    for (const name of older) renameSync(join(localDirectory, name), join(aside, name));
    say(
      `The data in ${localDirectory} is from before ${firstRelease}, and this version cannot read it. It is now in ${aside}, and this start begins with no data. The version that wrote it reads it when you move it back; delete it when you do not need it.`,
    );
  }
  writeFileSync(mark, `${firstRelease}\n`);
}
