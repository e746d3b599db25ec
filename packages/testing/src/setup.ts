import { beforeEach } from 'vitest';
import { takeLines } from './recent-log.ts';

// Vitest runs this file before each file of integration tests.

beforeEach(({ onTestFailed }) => {
  takeLines();
  onTestFailed(() => {
    const logged = takeLines();
    if (logged.length > 0) console.error(`What the services logged during the test:\n${logged.join('\n')}`);
  });
});
