/**
 * Power, boot device and validation, as operators request them.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { INTERFACE_TYPES, type Node } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import { isIn } from '../domain/states.ts';
import { listAll } from '../domain/store/page.ts';
import type { Engine, InterfaceCheck } from './engine.ts';
import type { EngineParts } from './parts.ts';
import { changePower, POWER_RESULT, refusePowerOff } from './power.ts';

type NodeHardware = Pick<
  Engine,
  | 'power'
  | 'withHardware'
  | 'hardwareOf'
  | 'validate'
  | 'getBootDevice'
  | 'setBootDevice'
  | 'supportedBootDevices'
>;

const BMC_WORK_MS = 120_000;
/** Interface types shown by validate; Nova needs deploy, power and storage. */
const VALIDATED = INTERFACE_TYPES.filter((type) => type !== 'vendor');

export interface NodeHardwareRoutes extends NodeHardware {
  /** Waits for running power changes. */
  settle(): Promise<void>;
}

export function createNodeHardware(deps: EngineParts): NodeHardwareRoutes {
  const { store, locks, settings } = deps;
  const working = new Set<Promise<unknown>>();

  const portsOf = (node: Node) => listAll(store.ports, { nodeUuid: node.uuid });

  async function withInterfaces<T>(
    uuid: string,
    signal: AbortSignal,
    work: (hardware: Hardware, context: NodeContext) => Promise<T>,
  ): Promise<T> {
    const node = await store.nodes.get(uuid);
    return work(deps.hardware.of(node), { node, ports: await portsOf(node), signal, now: deps.now });
  }

  function holding<T>(
    uuid: string,
    purpose: string,
    limits: { queueMs: number; deadlineMs: number },
    work: (hardware: Hardware, context: NodeContext) => Promise<T>,
  ): Promise<T> {
    return locks.hold(uuid, { purpose, ...limits }, (signal) => withInterfaces(uuid, signal, work));
  }

  const quick = { queueMs: settings.lockQueueMs, deadlineMs: BMC_WORK_MS };

  return {
    async power(uuid, target, timeoutMs) {
      const node = await store.nodes.get(uuid);
      const hardware = deps.hardware.of(node);
      hardware.power.validate(node, await portsOf(node));
      if (!hardware.power.targets.includes(target)) {
        throw new IngotError(
          'unsupported',
          `Power interface "${hardware.power.name}" of node ${uuid} does not support "${target}".`,
        );
      }
      if (isIn('powerChangeRefused', node.provisionState)) {
        throw new IngotError(
          'invalidState',
          `The requested action "${target}" can not be performed on node "${uuid}" while it is in state "${node.provisionState}".`,
        );
      }
      refusePowerOff(node, target);
      if (node.targetPowerState !== null) {
        throw new IngotError('conflict', `Node ${uuid} is already on its way to "${node.targetPowerState}".`);
      }
      const limits = { ...quick, deadlineMs: BMC_WORK_MS + (timeoutMs ?? 0) };
      const accepted = Promise.withResolvers<void>();
      const done = holding(uuid, `power: ${target}`, limits, async (_, context) => {
        await store.nodes.update(
          uuid,
          { targetPowerState: POWER_RESULT[target], lastError: null },
          deps.now(),
        );
        accepted.resolve();
        await changePower(deps, hardware, context, target, timeoutMs);
      }).catch((error: unknown) => {
        // Before the acceptance the caller gets the error; afterwards last_error contains it.
        accepted.reject(error);
        deps.logger.warn({ node: uuid, err: error }, 'power change failed');
      });
      working.add(done);
      done.finally(() => working.delete(done)).catch(() => undefined);
      await accepted.promise;
    },

    withHardware: (uuid, purpose, work, { shares = false } = {}) =>
      shares
        ? withInterfaces(uuid, AbortSignal.timeout(BMC_WORK_MS), work)
        : holding(uuid, purpose, quick, work),
    hardwareOf: (node) => deps.hardware.of(node),

    async validate(uuid) {
      const node = await store.nodes.get(uuid);
      const hardware = deps.hardware.of(node);
      const ports = await portsOf(node);
      const checked = VALIDATED.map((type) => [type, check(() => hardware.all[type].validate(node, ports))]);
      return Object.fromEntries(checked) as Awaited<ReturnType<Engine['validate']>>;
    },

    getBootDevice: (uuid) =>
      holding(uuid, 'get boot device', quick, async ({ management }, context) => {
        management.validate(context.node, context.ports);
        return management.getBootDevice(context);
      }),

    setBootDevice: (uuid, setting) =>
      holding(uuid, 'set boot device', quick, async ({ management }, context) => {
        management.validate(context.node, context.ports);
        const supported = await management.supportedBootDevices(context);
        if (!supported.includes(setting.device)) {
          throw new IngotError(
            'invalidParameter',
            `Invalid boot device ${setting.device} specified. Supported: ${supported.join(', ')}.`,
          );
        }
        await management.setBootDevice(context, setting);
      }),

    supportedBootDevices: (uuid) =>
      withInterfaces(uuid, AbortSignal.timeout(BMC_WORK_MS), ({ management }, context) =>
        management.supportedBootDevices(context),
      ),

    async settle() {
      await Promise.all(working);
    },
  };
}

/** An interface that the driver does not offer is invalid, like one without a required setting. */
function check(validate: () => void): InterfaceCheck {
  try {
    validate();
    return { result: true };
  } catch (error) {
    if (!(error instanceof IngotError)) throw error;
    return { result: false, reason: error.message };
  }
}
