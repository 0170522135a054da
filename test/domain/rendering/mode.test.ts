import { expect, it } from 'vitest';
import { compilePattern } from '../../../domain/pattern.ts';
import { compileRenderMode, renderModes, type RenderMode } from '../../../domain/rendering/mode.ts';

it.each(renderModes)(
  'patterns go before --render %s, and those that forbid before those that ask',
  (render) => {
    const patterns = { renderAlways: ['*/app/*'], renderNever: ['*/print/*', '*.xml'] };
    const modeOf = compileRenderMode({ render, ...patterns }, compilePattern);
    const modes: [url: string, mode: RenderMode][] = [
      ['https://a.example/', render],
      ['https://a.example/app/list', 'always'],
      ['https://a.example/print/list', 'never'],
      ['https://a.example/app/print/list', 'never'],
    ];
    for (const [url, mode] of modes) expect(modeOf(url)).toBe(mode);
  },
);
