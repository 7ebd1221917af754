/**
 * Servers on bare metal: the compute driver over the engine, as Nova's ironic driver is over Ironic's API. A node
 * belongs to the server that its instance_uuid names; nothing else is remembered here.
 */
import { POWER_STATES, type Server } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/node.ts';
import type { ProvisionState } from '../../domain/states.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ComputeDriver, SpawnPlan } from '../driver.ts';
import { bootLog } from './boot-log.ts';
import { type HostStatesDeps, readHostStates } from './host-states.ts';
import { moveNode } from './node-moves.ts';
import { setPower, setPowerSoftly } from './node-power.ts';
import { clear, destroyOn } from './node-release.ts';

export interface BareMetalDriverDeps extends HostStatesDeps {
  readonly engine: Engine;
}

/** Elsewhere its power is the conductor's affair and says nothing of the server. */
const RUNNING: readonly ProvisionState[] = ['active', 'rescue'];
const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

export function createBareMetalDriver(deps: BareMetalDriverDeps): ComputeDriver {
  const { engine, store } = deps;
  let host = deps.settings.host;

  async function nodeUuidOf(serverUuid: string): Promise<string | undefined> {
    const [node] = await store.nodes.listShown({ instanceUuid: serverUuid }, ONE, ['uuid']);
    return node?.uuid;
  }

  async function nodeOf({ uuid }: Server): Promise<Node> {
    const nodeUuid = await nodeUuidOf(uuid);
    const node = nodeUuid === undefined ? undefined : await store.nodes.find(nodeUuid);
    if (node !== undefined) return node;
    throw new IngotError('notFound', `Instance ${uuid} has no node: instance_uuid was taken away.`);
  }

  /** What is written goes before the verb that reads it. */
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

    async availableNodes() {
      const states = await readHostStates(deps);
      return states.filter(({ unusable }) => unusable === undefined).map(({ nodename }) => nodename);
    },
    resources: () => readHostStates(deps),

    async claim({ uuid }, nodeUuid) {
      try {
        await engine.updateNode(nodeUuid, 'claim', (node) => {
          if (node.instanceUuid === uuid) return {};
          refuseUnavailable(node);
          return { instanceUuid: uuid };
        });
        return true;
      } catch (error) {
        const isLost =
          error instanceof IngotError && ['conflict', 'notFound', 'nodeLocked'].includes(error.code);
        if (isLost) return false;
        throw error;
      }
    },
    nodeOf: nodeUuidOf,
    unclaim: ({ uuid }, nodeUuid) => clear(engine, uuid, nodeUuid),

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

    // the network room binds ports to the node's; the machine has its cables already
    attachInterface: async () => undefined,
    detachInterface: async () => undefined,

    async injectNmi(server) {
      const node = await nodeOf(server);
      await engine.withHardware(node.uuid, 'inject NMI', async ({ management }, context) => {
        if (management.injectNmi === undefined) throw notOffered(node, 'management', 'crash dumps');
        management.validate(context.node, context.ports);
        await management.injectNmi(context);
      });
    },

    async console(server) {
      const node = await nodeOf(server);
      const control = engine.hardwareOf(node).all.console.console;
      if (control === undefined || !node.consoleEnabled) throw notOffered(node, 'console', 'running console');
      const { type, url } = control.describe(node);
      if (typeof type === 'string' && typeof url === 'string') return { type, url };
      throw notOffered(node, 'console', 'address to connect to');
    },
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

/** Throws conflict naming what is in the way: the same as host states say. */
function refuseUnavailable(node: Node): void {
  const reason =
    node.instanceUuid !== null
      ? `is in use by instance ${node.instanceUuid}`
      : node.maintenance
        ? 'is in maintenance'
        : node.provisionState !== 'available'
          ? `is in state ${node.provisionState}`
          : undefined;
  if (reason !== undefined) throw new IngotError('conflict', `Node ${node.uuid} ${reason}.`);
}

function notOffered(node: Node, type: 'console' | 'management', what: string): IngotError {
  const driver = `${type}_interface "${node.interfaces[type]}"`;
  return new IngotError('unsupported', `Node ${node.uuid} has no ${what}: ${driver} does not offer it now.`);
}
