/** Which pages are rendered: by the crawl, then by what the body shows and what pages like it have gained. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learn, type KnownGains, type Learned } from '../../../domain/rendering/learned.ts';
import { renderModes } from '../../../domain/rendering/mode.ts';
import { renderReason, renderReasons, type PlainPage } from '../../../domain/rendering/reason.ts';
import { shellReasons, type ShellReason } from '../../../domain/rendering/shell.ts';

const now = 1_800_000_000;
const url = 'https://a.example/list/7';
const page: PlainPage = { url, shell: null, needs: null, fromState: false };
const unknown: KnownGains = { shape: null, host: null };
const lost = Array.from({ length: 40 }).reduce<Learned | null>(
  (known) => learn(known, { isShell: true, gained: false }, now),
  null,
);
const won = [1, 2].reduce<Learned | null>(
  (known) => learn(known, { isShell: false, gained: true }, now),
  null,
);
const shells = Object.keys(shellReasons) as ShellReason[];
const anyPage = fc.record({
  url: fc.webUrl(),
  shell: fc.constantFrom(null, ...shells),
  needs: fc.constantFrom(null, 'javascript' as const, 'login' as const),
  fromState: fc.boolean(),
});
const anyKnown = fc.constantFrom(null, unknown, { shape: lost, host: lost }, { shape: won, host: won });

describe('with --render auto', () => {
  it.each(shells)('a shell is rendered: %s', (shell) => {
    expect(renderReason({ ...page, shell }, 'auto', null, now)).toBe(shell);
    expect(renderReason({ ...page, shell }, 'auto', unknown, now)).toBe(shell);
  });

  it('a page that says enough is not, but where pages like it gained', () => {
    expect(renderReason(page, 'auto', unknown, now)).toBeNull();
    expect(renderReason(page, 'auto', { shape: won, host: won }, now)).toBe('learned');
  });

  it('a shell is not where those like it gain nothing', () => {
    expect(renderReason({ ...page, shell: 'mount' }, 'auto', { shape: lost, host: lost }, now)).toBeNull();
  });

  it('a login form is never rendered, nor a page whose text is in its data', () => {
    fc.assert(
      fc.property(anyPage, anyKnown, (each, known) => {
        expect(renderReason({ ...each, needs: 'login' }, 'auto', known, now)).toBeNull();
        expect(renderReason({ ...each, fromState: true }, 'auto', known, now)).toBeNull();
      }),
    );
  });
});

it('always and never hold for every page, and each reason has its words', () => {
  fc.assert(
    fc.property(anyPage, anyKnown, (each, known) => {
      expect(renderReason(each, 'always', known, now)).toBe('asked');
      expect(renderReason(each, 'never', known, now)).toBeNull();
      for (const mode of renderModes) {
        const reason = renderReason(each, mode, known, now);
        if (reason !== null) expect(renderReasons[reason]).toMatch(/^[a-z].*[a-z]$/);
      }
    }),
  );
});
