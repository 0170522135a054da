import type { Story } from '../story.ts';

export declare const served: {
  readonly react: (story: Story) => Promise<string>;
  readonly vue: (story: Story) => Promise<string>;
};
