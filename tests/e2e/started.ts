import { inject } from 'vitest';

// Before each file of end-to-end tests: the first one starts the platform.
const answer = await fetch(inject('platform').startUrl);
if (!answer.ok) throw new Error(await answer.text());
