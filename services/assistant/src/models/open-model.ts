import { demoModel } from './demo-model.ts';
import type { OpenModel } from './model.ts';

const models = { demo: demoModel } as const;

export const openModel: OpenModel = (provider) => models[provider];
