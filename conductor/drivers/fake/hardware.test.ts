import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/node.ts';
import { createFakeInterfaces } from './interfaces.ts';

const context = (driverInfo: JsonObject = {}, more: object = {}) => ({
  node: { uuid: 'n', driverInfo, powerState: null, ...more } as unknown as Node,
  ports: [],
  signal: new AbortController().signal,
  now: () => new Date(),
});
const failing = (action: string) => context({ fake_fail: [action] });

it.each([
  [null, 'power off'],
  ['power on', 'power on'],
])('power of a node with %j on record is %s', async (powerState, seen) => {
  const { power } = createFakeInterfaces();
  expect(await power.getPowerState(context({}, { powerState }))).toBe(seen);
});

describe('virtual media', () => {
  const { virtualMedia } = createFakeInterfaces().management;
  const images = async (of = context()) =>
    Object.fromEntries((await virtualMedia!.list(of)).map(({ device, imageUrl }) => [device, imageUrl]));

  it('stay attached until they are detached, separately for each machine', async () => {
    expect(await images()).toEqual({ disk: null, cdrom: null, floppy: null });
    await virtualMedia!.attach(context(), 'cdrom', 'http://files/a.iso');
    await virtualMedia!.attach(context(), 'floppy', 'http://files/b.img');
    expect(await images()).toEqual({
      disk: null,
      cdrom: 'http://files/a.iso',
      floppy: 'http://files/b.img',
    });
    expect(await images(context({}, { uuid: 'other' }))).toMatchObject({ cdrom: null });
    await virtualMedia!.detach(context(), ['cdrom', 'disk']);
    expect(await images()).toEqual({ disk: null, cdrom: null, floppy: 'http://files/b.img' });
  });

  it('that fail change nothing', async () => {
    const before = await images();
    const code = { code: 'bmcFailure' };
    const [attach, detach] = ['attach', 'detach'].map((verb) => failing(`management.${verb}_virtual_media`));
    await expect(virtualMedia!.attach(attach!, 'disk', 'http://x')).rejects.toMatchObject(code);
    await expect(virtualMedia!.detach(detach!, ['floppy'])).rejects.toMatchObject(code);
    await expect(virtualMedia!.list(failing('management.get_virtual_media'))).rejects.toMatchObject(code);
    expect(await images()).toEqual(before);
  });
});

describe('management', () => {
  const { management } = createFakeInterfaces();
  const lights = management.indicators!;

  it('boots from the network once by default', async () => {
    expect(await management.supportedBootDevices(context())).toEqual(['pxe']);
    expect(await management.getBootDevice(context())).toEqual({ device: 'pxe', persistent: false });
  });

  it.each<[JsonObject, string | null]>([
    [{ fake_health: 'CRITICAL' }, 'CRITICAL'],
    [{ fake_health: 1 }, null],
    [{}, null],
  ])('with %j tells the health %j', async (driverInfo, health) => {
    expect(await management.health!(context(driverInfo))).toBe(health);
  });

  it('has one light that can be set and one that can not, separately for each machine', async () => {
    const [chassis, system] = await lights.list(context());
    expect([chassis, system].map((light) => light?.readonly)).toEqual([true, false]);
    await lights.set(context(), system!, 'ON');
    expect(await lights.get(context(), system!)).toBe('ON');
    expect(await lights.get(context(), chassis!)).toBe('OFF');
    expect(await lights.get(context({}, { uuid: 'other' }), system!)).toBe('OFF');
  });

  it('that fails leaves light and boot device as they were', async () => {
    const [, system] = await lights.list(context());
    await expect(
      lights.set(failing('management.set_indicator_state'), system!, 'BLINKING'),
    ).rejects.toThrow();
    await expect(lights.get(failing('management.get_indicator_state'), system!)).rejects.toThrow();
    expect(await lights.get(context(), system!)).not.toBe('BLINKING');
    const setting = { device: 'pxe', persistent: true } as const;
    await expect(management.setBootDevice(failing('management.set_boot_device'), setting)).rejects.toThrow();
    await expect(management.getBootDevice(failing('management.get_boot_device'))).rejects.toThrow();
    expect(await management.getBootDevice(context())).toMatchObject({ persistent: false });
  });

  it.each([
    ['set_boot_mode', () => management.bootMode!.setBootMode(failing('management.set_boot_mode'), 'bios')],
    [
      'set_secure_boot_state',
      () => management.bootMode!.setSecureBoot(failing('management.set_secure_boot_state'), true),
    ],
  ])('fails %s when it is told to', async (action, work) => {
    await expect(work()).rejects.toThrow(`fake hardware fails management.${action}`);
  });
});

it.each([
  ['start', 'console.start_console'],
  ['stop', 'console.stop_console'],
] as const)('the console fails to %s when it is told to', async (verb, action) => {
  const { console } = createFakeInterfaces().console;
  await expect(console![verb](failing(action))).rejects.toThrow(`fake hardware fails ${action}`);
  await expect(console![verb](context())).resolves.toBeUndefined();
});

describe('vendor methods', () => {
  const methods = createFakeInterfaces().vendor.vendorMethods!;

  it.each([
    ['second_method', 'kazoo', true, undefined],
    ['third_method_sync', 'meow', false, undefined],
    ['fourth_method_shared_lock', 'woof', true, true],
  ])(
    '%s is true for %s; answered before it ends: %s, shares the node: %s',
    async (name, word, early, shares) => {
      const method = methods[name]!;
      expect(await method.call(context(), { bar: word })).toBe(true);
      expect(await method.call(context(), { bar: `${word}s` })).toBe(false);
      expect([method.async, method.sharesNode, method.httpMethods]).toEqual([early, shares, ['POST']]);
    },
  );

  it.each([undefined, null, ''])('need more than %j', async (bar) => {
    const params = bar === undefined ? {} : { bar };
    await expect(methods['second_method']!.call(context(), params)).rejects.toMatchObject({
      code: 'missingParameter',
    });
  });
});
