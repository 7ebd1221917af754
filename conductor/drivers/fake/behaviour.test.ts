import { describe, expect, it } from 'vitest';
import type { BootContext } from '../../domain/drivers.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/node.ts';
import { createFakeInterfaces } from './interfaces.ts';

const DELAY = { usualMs: 20, longestMs: 20 };
const nodeWith = (driverInfo: JsonObject) => ({ uuid: 'u', driverInfo, powerState: null }) as unknown as Node;
const context = (driverInfo: JsonObject, signal = new AbortController().signal) => ({
  node: nodeWith(driverInfo),
  ports: [],
  signal,
  now: () => new Date(),
});

describe('fake hardware', () => {
  const { power, management, boot, vendor } = createFakeInterfaces();

  it.each([
    [{ fake_fail: 'power' }, /fake_fail must be a list/],
    [{ fake_fail: ['powr'] }, /made of "interface" or "interface.step"/],
    [{ fake_fail: [1] }, /made of/],
    [{ fake_wait: 'deploy.deploy' }, /fake_wait must be a list, or an object of seconds/],
    [{ fake_wait: { 'deploy.deploy': -1 } }, /fake_wait\["deploy.deploy"\] must be seconds from 0/],
  ])('refuses %j', (info, text) => {
    expect(() => power.validate(nodeWith(info), [])).toThrow(text);
  });

  it('accepts valid values', () => {
    const info = { fake_fail: ['power', 'deploy.deploy'], fake_wait: { 'deploy.deploy': 1 } };
    expect(() => power.validate(nodeWith(info), [])).not.toThrow();
  });

  it('fails a whole interface or one action', async () => {
    await expect(power.getPowerState(context({ fake_fail: ['power'] }))).rejects.toThrow(
      /fails power.get_power_state because driver_info.fake_fail has "power"/,
    );
    const one = context({ fake_fail: ['power.set_power_state'] });
    expect(await power.getPowerState(one)).toBe('power off');
    await expect(power.setPowerState(one, 'power on')).rejects.toMatchObject({ code: 'bmcFailure' });
    const unprepared = context({ fake_fail: ['boot'] }) as unknown as BootContext;
    await expect(boot.prepareInstance(unprepared, {}, { isRunning: false })).rejects.toThrow(
      /boot.prepare_instance/,
    );
  });

  it('has the vendor methods of Ironic', async () => {
    const { second_method: second } = vendor.vendorMethods!;
    expect(await second!.call(context({}), { bar: 'kazoo' })).toBe(true);
    expect(await second!.call(context({}), { bar: 'x' })).toBe(false);
    await expect(second!.call(context({}), {})).rejects.toThrow(/'bar' not passed/);
    await expect(second!.call(context({ fake_fail: ['vendor'] }), { bar: 1 })).rejects.toThrow(/fake_fail/);
  });

  it('keeps the state of its lights', async () => {
    const [, led] = await management.indicators!.list(context({}));
    expect(await management.indicators!.get(context({}), led!)).toBe('OFF');
    await management.indicators!.set(context({}), led!, 'BLINKING');
    expect(await management.indicators!.get(context({}), led!)).toBe('BLINKING');
  });

  it('remembers the boot device', async () => {
    await management.setBootDevice(context({}), { device: 'pxe', persistent: true });
    expect(await management.getBootDevice(context({}))).toEqual({ device: 'pxe', persistent: true });
  });

  it('waits for its delay, and stops when the signal aborts', async () => {
    const slow = createFakeInterfaces({ delays: { power: DELAY }, random: () => 0 });
    const started = performance.now();
    await slow.power.getPowerState(context({}));
    expect(performance.now() - started).toBeGreaterThan(15);
    const controller = new AbortController();
    const pending = slow.power.getPowerState(context({}, controller.signal));
    const reason = new Error('shut down');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });
});
