import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Preloaded into the platform's processes with `--import`. On SIGUSR2 a process collects its garbage and writes its
// memory use to a file.
const folder = process.env.FUZZ_HEAP_FOLDER;
if (folder) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    writeFileSync(`${folder}/${process.pid}.json`, JSON.stringify({ heapUsed, external, rss }));
  });
}
