/**
 * Servers on bare metal: the compute driver over the engine, as Nova's ironic driver is over Ironic's API. A node
 * belongs to the server that its instance_uuid names; the driver keeps no other state.
 */
import { POWER_STATES, type Server } from '../../domain/compute.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/node.ts';
import type { ProvisionState } from '../../domain/states.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ComputeDriver, SpawnPlan } from '../driver.ts';
import { bootLog } from './boot-log.ts';
import { type HostStatesDeps, readHostStates } from './host-states.ts';
import { claimNode } from './node-claim.ts';
import { consoleOf, injectNmi } from './node-console.ts';
import { findNodeUuid, getNode } from './node-lookup.ts';
import { moveNode } from './node-moves.ts';
import { setPower, setPowerSoftly } from './node-power.ts';
import { destroyOn } from './node-release.ts';

export interface BareMetalDriverDeps extends HostStatesDeps {
  readonly engine: Engine;
}

/** In other states the conductor switches the power itself, so the power state says nothing about the server. */
const RUNNING: readonly ProvisionState[] = ['active', 'rescue'];

export function createBareMetalDriver(deps: BareMetalDriverDeps): ComputeDriver {
  const { engine, store } = deps;
  let host = deps.settings.host;

  const nodeUuidOf = (serverUuid: string) => findNodeUuid(store, serverUuid);
  const nodeOf = ({ uuid }: Server) => getNode(store, uuid);

  /** Writes instance_info before the verb that reads it is requested. */
  async function writePlan(node: Node, { instanceInfo, configDrive }: SpawnPlan) {
    const { local_gb: localGb = 0 } = node.properties;
    const nodeFacts: JsonObject = { local_gb: String(localGb), nova_host_id: host };
    await engine.updateNode(node.uuid, 'instance info', () => ({
      instanceInfo: { ...instanceInfo, ...nodeFacts },
    }));
    return configDrive === null ? {} : { configdrive: configDrive };
  }

  return {
    name: 'bare-metal',
    async init(name) {
      host = name;
    },

    resources: () => readHostStates(deps),

    claim: ({ uuid }, nodeUuid) => claimNode(engine, uuid, nodeUuid),
    nodeOf: nodeUuidOf,

    async spawn(server, plan, signal) {
      const { uuid: nodeUuid } = await nodeOf(server);
      const prepare = (node: Node) => writePlan(node, plan);
      await moveNode(deps, { serverUuid: server.uuid, nodeUuid, verb: 'active', prepare, signal });
    },
    async destroy({ uuid }, signal) {
      const nodeUuid = await nodeUuidOf(uuid);
      if (nodeUuid !== undefined) await destroyOn(deps, uuid, nodeUuid, signal);
    },

    async reboot(server, type, signal) {
      const node = await nodeOf(server);
      if (type === 'HARD') await setPower(deps, node.uuid, 'rebooting', signal);
      else await setPowerSoftly(deps, node, ['soft rebooting', 'rebooting'], signal);
    },
    async powerOff(server, signal) {
      await setPowerSoftly(deps, await nodeOf(server), ['soft power off', 'power off'], signal);
    },
    async powerOn(server, signal) {
      await setPower(deps, (await nodeOf(server)).uuid, 'power on', signal);
    },

    async rebuild(server, plan, signal) {
      const { uuid: nodeUuid } = await nodeOf(server);
      const prepare = (node: Node) => writePlan(node, plan);
      await moveNode(deps, { serverUuid: server.uuid, nodeUuid, verb: 'rebuild', prepare, signal });
    },
    async rescue(server, adminPass, signal) {
      const { uuid: nodeUuid } = await nodeOf(server);
      const prepare = async () => ({ rescuePassword: adminPass });
      await moveNode(deps, { serverUuid: server.uuid, nodeUuid, verb: 'rescue', prepare, signal });
    },
    async unrescue(server, signal) {
      const { uuid: nodeUuid } = await nodeOf(server);
      await moveNode(deps, { serverUuid: server.uuid, nodeUuid, verb: 'unrescue', signal });
    },

    // network-service/ binds the port to a port of the node; nothing is left to do on the machine
    attachInterface: async () => undefined,
    detachInterface: async () => undefined,

    injectNmi: async (server) => injectNmi(engine, await nodeOf(server)),
    console: async (server) => consoleOf(engine, await nodeOf(server)),
    async consoleOutput(server, lines) {
      const { uuid } = await nodeOf(server);
      return bootLog(await store.sightings.forNode(uuid, server.createdAt), lines);
    },

    async info(server) {
      const { powerState, targetPowerState, provisionState } = await nodeOf(server);
      const isAtWork = targetPowerState !== null || !RUNNING.includes(provisionState);
      if (isAtWork) return { powerState: POWER_STATES.none };
      if (powerState === 'power on') return { powerState: POWER_STATES.running };
      return { powerState: powerState === 'power off' ? POWER_STATES.shutdown : POWER_STATES.none };
    },
  };
}
