import { describe, expect, it } from 'vitest';
import { TEST_ENDPOINTS } from '../../test/fakes/agent-endpoints.ts';
import type { BootContext, ManagementInterface } from '../domain/drivers.ts';
import type { Node, Port, RamdiskTarget } from '../domain/node.ts';
import { createNetworkBoot, type NetworkBootSettings } from './network-boot.ts';

const SETTINGS: NetworkBootSettings = {
  endpoints: TEST_ENDPOINTS,
  untrusted: false,
  kernelAppendParams: 'nofb',
  missingBootFile: () => undefined,
};
const nodeWith = (more: object = {}) =>
  ({ uuid: 'n', instanceInfo: {}, driverInfo: {}, ...more }) as unknown as Node;

/** Returns what is stored and set, in the order in which it ended. Effects that are not awaited are missing. */
function bootContext(node = nodeWith()) {
  const done: unknown[] = [];
  const ended = async (what: unknown): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push(what);
  };
  const management = {
    setBootDevice: (_: unknown, setting: unknown) => ended(setting),
  } as unknown as ManagementInterface;
  const context: BootContext = {
    node,
    ports: [],
    signal: new AbortController().signal,
    now: () => new Date(),
    management,
    remember: async () => undefined,
    updateNode: (patch) => ended(patch),
    setPower: () => Promise.reject(new Error('power is not its affair')),
  };
  return { context, done };
}

describe('what is booted', () => {
  const boot = createNetworkBoot('ipxe', SETTINGS);

  it('is the ramdisk once, with the arguments of conductor and step', async () => {
    const { context, done } = bootContext();
    expect(await boot.prepareRamdisk(context, {}, { 'ipa-inspection-collectors': 'default,logs' })).toEqual({
      kind: 'done',
    });
    expect(done).toEqual([
      {
        bootTarget: {
          kind: 'ramdisk',
          kernelParams: [
            'nofb',
            'ipa-api-url=http://192.0.2.1:8089',
            'ingot.api-url=https://192.0.2.1:8090',
            'ingot.pin=pin-of-the-conductor',
            'ingot.node=n',
            'ipa-inspection-collectors=default,logs',
          ],
          bootSecret: expect.stringMatching(/^[\w-]{43}$/),
        },
      },
      { device: 'pxe', persistent: false },
    ]);
  });

  it('has another secret at each boot', async () => {
    const { context, done } = bootContext();
    await boot.prepareRamdisk(context, {}, {});
    await boot.prepareRamdisk(context, {}, {});
    const secrets = done.flatMap(
      (one) => (one as { bootTarget?: RamdiskTarget }).bootTarget?.bootSecret ?? [],
    );
    expect(new Set(secrets).size).toBe(2);
  });

  it('is reached by foreign agents over TLS only, unless plaintext is allowed', async () => {
    const { context, done } = bootContext();
    const strict = createNetworkBoot('ipxe', {
      ...SETTINGS,
      endpoints: { ...TEST_ENDPOINTS, allowPlaintext: false },
    });
    await strict.prepareRamdisk(context, {}, {});
    const { kernelParams } = (done[0] as { bootTarget: RamdiskTarget }).bootTarget;
    expect(kernelParams).toContain('ipa-api-url=https://192.0.2.1:8090');
  });

  it.each([
    [{ driverInfo: { kernel_append_params: ' a  b ' } }, ['a', 'b']],
    [{ driverInfo: { kernel_append_params: '' } }, []],
    [{ driverInfo: { kernel_append_params: null } }, ['nofb']],
    [{ driverInfo: { kernel_append_params: 'a %default%' } }, ['a', 'nofb']],
    [
      { driverInfo: { kernel_append_params: 'a' }, instanceInfo: { kernel_append_params: 'of=instance' } },
      ['of=instance'],
    ],
  ])('has the kernel arguments of %j', async (more, words) => {
    const { context, done } = bootContext(nodeWith(more));
    await boot.prepareRamdisk(context, {}, {});
    const { kernelParams } = (done[0] as { bootTarget: RamdiskTarget }).bootTarget;
    expect(kernelParams.slice(0, -4)).toEqual(words);
  });

  it('is the disk persistently; a running instance is not touched', async () => {
    const fresh = bootContext();
    await boot.prepareInstance(fresh.context, {}, { isRunning: false });
    expect(fresh.done).toEqual([{ bootTarget: { kind: 'disk' } }, { device: 'disk', persistent: true }]);
    const adopted = bootContext();
    await boot.prepareInstance(adopted.context, {}, { isRunning: true });
    expect(adopted.done).toEqual([{ bootTarget: { kind: 'disk' } }]);
  });

  it('is nothing after the clean-up', async () => {
    const { context, done } = bootContext();
    await boot.cleanUp(context, {});
    expect(done).toEqual([{ bootTarget: null }]);
  });
});

describe('what it needs', () => {
  const port = { pxeEnabled: true } as Port;
  const check = (
    settings: Partial<NetworkBootSettings>,
    node = nodeWith(),
    ports: readonly Port[] = [port],
  ) => createNetworkBoot('pxe', { ...SETTINGS, ...settings }).validate(node, ports);

  it('is a provisioning network, a ramdisk, a port and valid kernel arguments', () => {
    expect(() => check({})).not.toThrow();
    expect(() => check({ endpoints: null })).toThrow(/no provisioning interface/);
    expect(() => check({ untrusted: true })).toThrow(/sends the boot secret.*provisioning.untrusted/);
    expect(() => check({ missingBootFile: () => '/srv/vmlinuz' })).toThrow(
      /no deploy ramdisk: \/srv\/vmlinuz/,
    );
    expect(() => check({}, nodeWith(), [{ pxeEnabled: false } as Port])).toThrow(/no port with pxe_enabled/);
    const quoted = nodeWith({ driverInfo: { kernel_append_params: 'a="b"' } });
    expect(() => check({}, quoted)).toThrow(/cannot be a kernel argument/);
    const listed = nodeWith({ driverInfo: { kernel_append_params: ['a'] } });
    expect(() => check({}, listed)).toThrow('driver_info.kernel_append_params must be a string');
    const closed = { pxeEnabled: false } as Port;
    expect(() => check({}, nodeWith(), [closed, port])).not.toThrow();
  });
});
