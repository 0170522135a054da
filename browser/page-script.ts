/**
 * What runs in each document before its own scripts: it makes the page do the same in each round, and keeps
 * it from waiting for people.
 *
 * The browser's virtual time fixes the clock, V8's seed Math.random(); what they leave to chance is done here. What is
 * replaced is a proxy of the original, so that names, lengths and texts of functions are as scripts expect them.
 */

/** Lines of a console that are kept, and characters of each. */
export const maxConsoleLines = 20;
const maxLineCharacters = 300;

/**
 * By this the console is read; the page cannot guess it. One for all pages of a process: it is in no document.
 */
const secret = crypto.randomUUID();
export const readConsole = `Crypto.prototype.getRandomValues[${JSON.stringify(secret)}]`;

export const pageScript = `(() => {
  const { apply, construct, get } = Reflect;
  const replace = (owner, name, handler) => {
    const old = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (old && old.configurable && typeof old.value === 'function')
      Object.defineProperty(owner, name, { ...old, value: new Proxy(old.value, handler) });
  };

  // Time stands still while a script runs, and a script may wait for it to pass: then each look takes a millisecond.
  const clock = Date.now;
  const begin = clock();
  let last = begin, looks = 0, ahead = 0;
  const now = () => {
    const at = clock();
    if (at !== last) { last = at; looks = 0; } else if (++looks > 10000) ahead++;
    return at + ahead;
  };
  replace(Date, 'now', { apply: now });
  const Then = Date;
  const NewDate = new Proxy(Then, {
    construct: (target, args, made) => construct(target, args.length === 0 ? [now()] : args, made),
    apply: () => new Then(now()).toString(),
  });
  Object.defineProperty(globalThis, 'Date', { ...Object.getOwnPropertyDescriptor(globalThis, 'Date'), value: NewDate });
  Object.defineProperty(Then.prototype, 'constructor', { value: NewDate, writable: true, configurable: true });
  // Whole milliseconds: its fractions come from the real clock.
  replace(Performance.prototype, 'now', { apply: () => now() - begin });

  // Frames are drawn a few times in a page's life. Whoever asks for each of them gets sixty a second for one second.
  const later = setTimeout, never = clearTimeout;
  let frames = 0;
  replace(globalThis, 'requestAnimationFrame', {
    apply: (target, self, [call]) =>
      typeof call === 'function' ? later(() => call(now() - begin), frames++ < 60 ? 16 : 250) : apply(target, self, [call]),
  });
  replace(globalThis, 'cancelAnimationFrame', { apply: (target, self, [id]) => never(id) });
  replace(globalThis, 'requestIdleCallback', {
    apply: (target, self, args) =>
      typeof args[0] === 'function'
        ? later(() => args[0]({ didTimeout: false, timeRemaining: () => 50 }), 1)
        : apply(target, self, args),
  });
  replace(globalThis, 'cancelIdleCallback', { apply: (target, self, [id]) => never(id) });

  let state = 157;
  const byte = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) & 255;
  };
  const fill = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = byte();
    return array;
  };
  const lines = [];
  const cryptography = Crypto.prototype;
  replace(cryptography, 'getRandomValues', {
    // The original refuses what it must refuse.
    apply: (target, self, args) => fill(apply(target, self, args)),
    get: (target, name) => (name === ${JSON.stringify(secret)} ? lines : get(target, name)),
  });
  replace(cryptography, 'randomUUID', {
    apply: () => {
      const hex = Array.from(fill(new Uint8Array(16)), (each, at) =>
        (at === 6 ? (each & 15) | 64 : at === 8 ? (each & 63) | 128 : each).toString(16).padStart(2, '0')).join('');
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    },
  });

  const textOf = (value) => {
    try {
      if (value instanceof Error) return value.name + ': ' + value.message;
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
    } catch {
      return typeof value;
    }
  };
  const note = (kind, values) => {
    if (lines.length < ${String(maxConsoleLines)})
      lines.push((kind + ': ' + values.map(textOf).join(' ')).slice(0, ${String(maxLineCharacters)}));
  };
  for (const kind of ['debug', 'log', 'info', 'warn', 'error'])
    replace(console, kind, { apply: (target, self, values) => note(kind, values) });

  globalThis.addEventListener('error', (event) => {
    if (event instanceof ErrorEvent) note('uncaught', [event.error ?? event.message]);
  });
  globalThis.addEventListener('unhandledrejection', (event) => note('unhandled', [event.reason]));
  const getter = (owner, name, value) => {
    const old = Object.getOwnPropertyDescriptor(owner, name);
    if (old?.get) Object.defineProperty(owner, name, { ...old, get: new Proxy(old.get, { apply: () => value }) });
  };
  // The browser has no network, but what it asks for is answered.
  getter(Navigator.prototype, 'onLine', true);
  getter(Navigator.prototype, 'hardwareConcurrency', 4);
  // What outlives a page, or leads around what answers for the network.
  delete Navigator.prototype.serviceWorker;
  for (const name of ['SharedWorker', 'RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];
  for (const [name, answer] of [['alert'], ['print'], ['confirm', true], ['prompt', null]])
    replace(globalThis, name, { apply: () => answer });
  // Shadow trees can be read then, closed ones too.
  replace(Element.prototype, 'attachShadow', {
    apply: (target, self, [init]) => apply(target, self, [init && { ...init, serializable: true }]),
  });
})()`;
