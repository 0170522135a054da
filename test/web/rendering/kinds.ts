import type { Kind } from './kind.ts';
import { frameworkKinds } from './kinds/frameworks.ts';
import { loadingKinds } from './kinds/loads.ts';
import { placeKinds } from './kinds/places.ts';
import { plainKinds } from './kinds/plain.ts';
import { scriptKinds } from './kinds/scripts.ts';

export const kinds: readonly Kind[] = [
  ...plainKinds,
  ...frameworkKinds,
  ...loadingKinds,
  ...scriptKinds,
  ...placeKinds,
];
