/**
 * Builds a server step by step. Each step reads the stored server, does one thing and stores the next task state. A
 * failed build returns to the first step with the node in `tried`: that step gives the node back and claims the next
 * one.
 *
 *   scheduling -> networking -> block_device_mapping -> spawning -> active
 *
 * A server in error that is still in scheduling can not be built on another node: only its node is given back.
 */
import type { Server } from '../domain/compute.ts';
import { type BuildPlacementDeps, createBuildPlacement } from './build-placement.ts';
import { faultOf } from './fault.ts';
import { imageOf, planFor } from './server-configuration.ts';
import type { BuildTask } from './server-states.ts';
import { tenantOfServer } from './server-tenant.ts';

export type BuildStep = (server: Server, signal: AbortSignal) => Promise<void>;

export function createBuild(deps: BuildPlacementDeps): Readonly<Record<BuildTask, BuildStep>> {
  const { driver, images, networks, settings, records, failures, logger, now } = deps;
  const { schedule, attemptFailed } = createBuildPlacement(deps);

  /** The failure is specific to this node: the next node is tried. */
  async function failHere(server: Server, task: BuildTask, error: unknown): Promise<void> {
    const nodename = server.nodeUuid ?? '';
    failures.failed(nodename);
    const fault = faultOf(error, now(), `${task} on node ${nodename}`);
    await attemptFailed(server, task, { host: server.host ?? settings.host, nodename }, fault);
  }

  /** The failure does not depend on the node: no other node is tried. */
  async function failForGood(server: Server, task: BuildTask, error: unknown): Promise<void> {
    const fault = faultOf(error, now(), task);
    await records.advance(server.uuid, task, {
      vmState: 'error',
      taskState: 'scheduling',
      alternates: [],
      fault,
    });
  }

  /** Whether a failed part of a step fails the attempt or the whole build. */
  const failing =
    (failed: (server: Server, task: BuildTask, error: unknown) => Promise<void>) =>
    async <T>(server: Server, task: BuildTask, signal: AbortSignal, work: () => Promise<T>) => {
      try {
        return await work();
      } catch (error) {
        // the server is being deleted or the conductor stops: the stored state says what to do next
        signal.throwIfAborted();
        await failed(server, task, error);
        return undefined;
      }
    };
  const onNode = failing(failHere);
  const onRequest = failing(failForGood);

  return {
    scheduling: schedule,

    async networking(server, signal) {
      const tenant = tenantOfServer(server);
      const addresses = await onRequest(server, 'networking', signal, () =>
        networks.allocate(server, tenant),
      );
      if (addresses === undefined) return;
      await onNode(server, 'networking', signal, async () => {
        await networks.bind(server, nodeOf(server));
        await records.advance(server.uuid, 'networking', { taskState: 'block_device_mapping' });
      });
    },

    async block_device_mapping(server, signal) {
      await onRequest(server, 'block_device_mapping', signal, async () => {
        await images.instanceInfoOf(await imageOf(deps, server));
        await records.advance(server.uuid, 'block_device_mapping', { taskState: 'spawning' });
      });
    },

    async spawning(server, signal) {
      const plan = await onRequest(server, 'spawning', signal, () => planFor(deps, server));
      if (plan === undefined) return;
      await onNode(server, 'spawning', signal, async () => {
        await driver.spawn(server, plan, signal);
        const { powerState } = await driver.info(server);
        failures.succeeded(nodeOf(server));
        const launched = { vmState: 'active', launchedAt: now(), powerState } as const;
        const tidied = { fault: null, alternates: [], adminPass: null } as const;
        await records.end(server.uuid, 'spawning', { ...launched, ...tidied }, null);
        logger.info({ server: server.uuid, node: server.nodeUuid }, 'server active');
      });
    },
  };
}

function nodeOf({ uuid, nodeUuid }: Server): string {
  if (nodeUuid === null) throw new Error(`server ${uuid} has no node`);
  return nodeUuid;
}
