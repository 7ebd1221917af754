/**
 * Other resources of a server, most of which are the same for all machines: diagnostics, security groups, volumes,
 * migrations, the password.
 */

import type { NetworkPort, Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { serverOf } from './server-lookup.ts';
import { POWER_STATE_NAMES } from './server-status.ts';

const MB_PER_GB = 1024;
/** First microversion with migrations. */
const MIGRATIONS = 23;
/** First microversion with the same diagnostics for all drivers. */
const ONE_SHAPE = 48;
const NO_VOLUMES = 'Volumes are not supported by bare metal: a server has the disks of its machine.';

/** Path after the server -> the answer for all servers. */
const SAME_FOR_ALL: Readonly<Record<string, JsonObject>> = {
  'os-security-groups': { security_groups: [] },
  'os-volume_attachments': { volumeAttachments: [] },
  'os-server-password': { password: '' },
};

export function serverReportRoutes(app: App, deps: ComputeDeps): void {
  for (const [path, answer] of Object.entries(SAME_FOR_ALL)) {
    app.get(`/servers/:id/${path}`, described('reader', `Show ${path} of a server`), async (request) => {
      await serverOf(deps, request);
      return answer;
    });
  }

  app.get(
    '/servers/:id/migrations',
    described('admin', 'List the migrations of a server: always none', {
      since: MIGRATIONS,
      list: 'migrations',
    }),
    async (request) => {
      await serverOf(deps, request);
      return { migrations: [] };
    },
  );

  app.post(
    '/servers/:id/os-volume_attachments',
    described('member', 'Refused: there are no volumes'),
    async (request) => {
      await serverOf(deps, request);
      throw new IngotError('unsupported', NO_VOLUMES);
    },
  );

  app.delete(
    '/servers/:id/os-server-password',
    described('member', 'Clear the password of a server: there is none', { status: 204 }),
    async (request, reply) => {
      await serverOf(deps, request);
      return reply.code(204).send();
    },
  );

  app.get(
    '/servers/:id/diagnostics',
    described('admin', 'Show the diagnostics of a server'),
    async (request) => {
      const server = await serverOf(deps, request);
      if (request.minor < ONE_SHAPE) return { memory: server.flavor.ramMb * MB_PER_GB };
      const addresses = await deps.networks.addressesOf(server.uuid);
      return diagnostics(
        server,
        addresses.map(({ port }) => port),
      );
    },
  );
}

/** Values that only the running system could report are null. API 2.48. */
function diagnostics(
  { powerState, flavor, hasConfigDrive }: Server,
  ports: readonly NetworkPort[],
): JsonObject {
  return {
    state: POWER_STATE_NAMES[powerState],
    driver: 'ironic',
    hypervisor: null,
    hypervisor_os: null,
    uptime: null,
    config_drive: hasConfigDrive,
    num_cpus: flavor.vcpus,
    num_nics: ports.length,
    // as many as disk_details tells of
    num_disks: 0,
    cpu_details: [],
    nic_details: ports.map(({ macAddress }) => ({ mac_address: macAddress, ...UNSEEN_TRAFFIC })),
    disk_details: [],
    memory_details: { maximum: flavor.ramMb, used: null },
  };
}

const UNSEEN_TRAFFIC = Object.fromEntries(
  ['rx', 'tx'].flatMap((direction) =>
    ['octets', 'errors', 'drop', 'packets', 'rate'].map((count) => [`${direction}_${count}`, null]),
  ),
);
