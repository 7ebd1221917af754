/**
 * The output of a server's serial console, and the URL of the console.
 */

import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { byMinor, either, integer, nullable, object, oneOf, optional, text } from '../../kit/readers.ts';
import { readBody } from '../request.ts';
import { type ServerAction, serverAction } from './server-action.ts';
import { requirePlace, serverOf } from './server-lookup.ts';

/** -1 and absent: all lines. */
const length = nullable(
  either((value) => typeof value === 'string', text({ max: 9, pattern: /^-?[0-9]+$/ }), integer(-1)),
);

const consoleOutput = serverAction('os-getConsoleOutput', {
  value: object({ length: optional(length) }),
  async run({ server, asked, reply, deps }) {
    requirePlace(server);
    const lines = Number(asked.length ?? -1);
    const output = await deps.instances.consoleOutput(server, lines < 0 ? null : lines);
    reply.code(200);
    return { output: withoutControls(output) };
  },
});

/** Until 2.5; later clients use /remote-consoles. */
const consoleOf = (name: string, types: readonly string[]): ServerAction =>
  serverAction(name, {
    until: 5,
    value: object({ type: oneOf(types) }),
    async run({ server, asked, reply, deps }) {
      requireSerial(asked.type);
      requirePlace(server);
      const { url } = await deps.instances.console(server);
      reply.code(200);
      return { console: { type: asked.type, url } };
    },
  });

export const CONSOLE_ACTIONS: readonly ServerAction[] = [
  consoleOutput,
  consoleOf('os-getSerialConsole', ['serial']),
  consoleOf('os-getVNCConsole', ['novnc', 'xvpvnc']),
  consoleOf('os-getSPICEConsole', ['spice-html5']),
  consoleOf('os-getRDPConsole', ['rdp-html5']),
];

const PROTOCOLS = ['vnc', 'spice', 'rdp', 'serial'];
const TYPES = ['novnc', 'xvpvnc', 'rdp-html5', 'spice-html5', 'serial'];
const body = byMinor((minor) =>
  object({
    remote_console: object({
      protocol: oneOf(minor < 8 ? PROTOCOLS : [...PROTOCOLS, 'mks']),
      type: oneOf(minor < 8 ? TYPES : [...TYPES, 'webmks']),
    }),
  }),
);

export function remoteConsoleRoutes(app: App, deps: ComputeDeps): void {
  app.post(
    '/servers/:id/remote-consoles',
    described('member', 'Get the URL of the console of a server', { since: 6, body, item: 'remote_console' }),
    async (request) => {
      const { protocol, type } = readBody(request, body).remote_console;
      const server = await serverOf(deps, request);
      requireSerial(type);
      requirePlace(server);
      const { url } = await deps.instances.console(server);
      return { remote_console: { protocol, type, url } };
    },
  );
}

function requireSerial(type: string): void {
  if (type === 'serial') return;
  throw new IngotError(
    'unsupported',
    `Unavailable console type ${type}. Machines have a serial console: ask for the type serial.`,
  );
}

/** Keeps line feeds and tabs, and removes the other control characters, as Nova does. */
const withoutControls = (output: string): string => output.replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, '');
