/**
 * `node stack/guard-temporal-web.ts` runs the guard in front of a Temporal Web that we did not start (docker-compose.yml
 * does). It listens where ORBWEAVER_API_HOST and ORBWEAVER_TEMPORAL_UI_PORT say, and ends on SIGTERM.
 */
import { loadConfig } from '../config/config.ts';
import { usualPorts } from '../config/settings/ports.ts';
import { messageOf } from './errors.ts';
import { signInByKey } from './sign-in.ts';
import { startWebGuard } from './web-guard.ts';

try {
  const { temporalUi, temporalUiSignIn, temporalUiPort, apiHost, apiNames, server } = loadConfig();
  if (temporalUi === null) throw new Error('ORBWEAVER_TEMPORAL_UI must be set.');
  const colon = temporalUi.lastIndexOf(':');
  const listen = { host: apiHost, port: temporalUiPort ?? usualPorts.temporalUi };
  const guard = await startWebGuard({
    listen,
    web: {
      host: temporalUi.slice(0, colon).replace(/^\[|\]$/g, ''),
      port: Number(temporalUi.slice(colon + 1)),
    },
    names: [apiHost, ...apiNames],
    signIn: temporalUiSignIn === 'on' ? signInByKey(() => server?.replace(/\/$/, '') ?? null) : null,
  });
  process.once('SIGTERM', () => void guard.close());
  process.stdout.write(
    `Temporal Web at ${temporalUi} is guarded at ${listen.host}:${String(listen.port)}.\n`,
  );
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
