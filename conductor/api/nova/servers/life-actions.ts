/**
 * Actions that change a server's state: power, reboot, rescue, lock and others.
 */

import { anything, byMinor, mapped, nullable, object, oneOf, optional, text } from '../../kit/readers.ts';
import { uuid } from '../request.ts';
import { generatePassword } from './admin-password.ts';
import { type ServerAction, serverAction } from './server-action.ts';
import { adminPass } from './server-readers.ts';

const lockReason = nullable(object({ locked_reason: optional(text({ min: 1, max: 255 })) }));

export const LIFE_ACTIONS: readonly ServerAction[] = [
  serverAction('reboot', {
    value: object({ type: oneOf(['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']) }),
    async run({ server, asked, by, deps }) {
      await deps.instances.reboot(server, asked.type.toUpperCase() === 'SOFT' ? 'SOFT' : 'HARD', by);
    },
  }),
  serverAction('os-start', {
    value: anything,
    async run({ server, by, deps }) {
      await deps.instances.start(server, by);
    },
  }),
  serverAction('os-stop', {
    value: anything,
    async run({ server, by, deps }) {
      await deps.instances.stop(server, by);
    },
  }),
  serverAction('rescue', {
    value: nullable(object({ adminPass: optional(adminPass), rescue_image_ref: optional(uuid) })),
    async run({ server, asked, by, reply, deps }) {
      const request = {
        adminPass: asked?.adminPass ?? generatePassword(),
        imageUuid: asked?.rescue_image_ref ?? null,
      };
      await deps.instances.rescue(server, request, by);
      // Nova's answer to this one, and nobody may change it
      reply.code(200);
      return { adminPass: request.adminPass };
    },
  }),
  serverAction('unrescue', {
    value: anything,
    async run({ server, by, deps }) {
      await deps.instances.unrescue(server, by);
    },
  }),
  serverAction('lock', {
    value: byMinor<{ readonly locked_reason?: string } | null>((minor) =>
      minor < 73 ? mapped(anything, () => null) : lockReason,
    ),
    async run({ server, asked, by, deps }) {
      await deps.instances.lock(server, asked?.locked_reason ?? null, by);
    },
  }),
  serverAction('unlock', {
    value: anything,
    async run({ server, by, deps }) {
      await deps.instances.unlock(server, by);
    },
  }),
  serverAction('forceDelete', {
    value: anything,
    async run({ server, by, deps }) {
      await deps.instances.delete(server, by);
    },
  }),
  serverAction('trigger_crash_dump', {
    since: 17,
    value: nullable(object({})),
    async run({ server, by, deps }) {
      await deps.instances.triggerCrashDump(server, by);
    },
  }),
  serverAction('os-resetState', {
    adminRule: 'os_compute_api:os-admin-actions:reset_state',
    value: object({ state: oneOf(['active', 'error']) }),
    async run({ server, asked, by, deps }) {
      await deps.instances.resetState(server, asked.state, by);
    },
  }),
];
