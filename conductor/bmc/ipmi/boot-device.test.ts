/** Setting and reading the boot device, command by command; a BMC on the wire is in client.test.ts. */
import { encodeBootFlags } from '@ingot/shared/codec/ipmi/boot-flags.ts';
import { getBootOption } from '@ingot/shared/codec/ipmi/boot-options.ts';
import type { Command } from '@ingot/shared/codec/ipmi/command.ts';
import { expect, it } from 'vitest';
import { ipmiAddress } from '../../../test/fakes/bmc/test-ipmi.ts';
import type { IpmiAddress } from './address.ts';
import { BmcError } from './bmc-error.ts';
import { createIpmiClient, type IpmiClient } from './client.ts';

const [CLEARING, ACKNOWLEDGE, FLAGS] = [3, 4, 5];

interface FakeOptions {
  /** Boot parameter -> completion code it is refused with. */
  readonly refused?: Readonly<Record<number, number>>;
  /** The flags that the BMC reports, if not those that were set. */
  readonly reported?: Buffer;
  readonly address?: Partial<IpmiAddress>;
}

/** A client whose BMC accepts boot options; `set` contains what was set, in order. */
function clientOf({ refused = {}, reported, address = {} }: FakeOptions = {}) {
  const set: { parameter: number; data: Buffer }[] = [];
  const run = async (command: Command<unknown, unknown>, request: unknown): Promise<unknown> => {
    const { parameter, data } = request as { parameter: number; data: Buffer };
    if (command.name === getBootOption.name) {
      return { parameter, data: reported ?? set.findLast((one) => one.parameter === parameter)?.data };
    }
    // Answers later than the call, as a BMC does: an unhandled rejection would be lost otherwise.
    await new Promise((resolve) => setImmediate(resolve));
    const completionCode = refused[parameter];
    if (completionCode !== undefined) {
      const detail = `completion code ${completionCode}`;
      const fields = { failure: 'command refused', endpoint: 'bmc', command: command.name } as const;
      throw new BmcError({ ...fields, detail, tries: 1, completionCode });
    }
    set.push({ parameter, data });
    return {};
  };
  const client: IpmiClient = createIpmiClient({ ...ipmiAddress(623), ...address }, run as never);
  return { client, set };
}

const PXE_ONCE = { device: 'pxe', persistent: false, uefi: false } as const;

it.each([
  [{ device: 'pxe', persistent: false, uefi: false }, 0x80],
  [{ device: 'pxe', persistent: true, uefi: false }, 0xc0],
  [{ device: 'disk', persistent: false, uefi: true }, 0xa0],
  [{ device: 'cdrom', persistent: true, uefi: true }, 0xe0],
] as const)('%o is set for one boot or persistently, and read back', async (setting, first) => {
  const { client, set } = clientOf();
  await client.setBootDevice(setting);
  expect(set.at(-1)?.data[0]).toBe(first);
  expect(await client.getBootDevice()).toEqual({ ...setting, valid: true });
});

it('sets the timeout and the acknowledgement before the flags', async () => {
  const { client, set } = clientOf();
  await client.setBootDevice(PXE_ONCE);
  expect(set.map(({ parameter }) => parameter)).toEqual([CLEARING, ACKNOWLEDGE, FLAGS]);
  const other = clientOf({ address: { disableBootTimeout: false } });
  await other.client.setBootDevice(PXE_ONCE);
  expect(other.set.map(({ parameter }) => parameter)).toEqual([ACKNOWLEDGE, FLAGS]);
});

it.each([0x80, 0x82, 0xc7, 0xc9, 0xcc])(
  'continues when an optional parameter is refused with %i',
  async (code) => {
    const { client, set } = clientOf({ refused: { [CLEARING!]: code, [ACKNOWLEDGE!]: code } });
    await client.setBootDevice(PXE_ONCE);
    expect(set.map(({ parameter }) => parameter)).toEqual([FLAGS]);
  },
);

it.each([
  [CLEARING, 0xd4],
  [ACKNOWLEDGE, 0xff],
  [FLAGS, 0x80],
])('fails when parameter %i is refused with %i', async (parameter, completionCode) => {
  const { client, set } = clientOf({ refused: { [parameter!]: completionCode } });
  await expect(client.setBootDevice(PXE_ONCE)).rejects.toMatchObject({ completionCode });
  expect(set.some((one) => one.parameter === FLAGS)).toBe(false);
});

it('fails when the BMC reports another device than was set', async () => {
  const reported = encodeBootFlags({ valid: true, persistent: false, uefi: false, selector: 2 });
  await expect(clientOf({ reported }).client.setBootDevice(PXE_ONCE)).rejects.toMatchObject({
    failure: 'not obeyed',
    message: expect.stringContaining('boot device pxe was acknowledged, but the BMC reports disk'),
  });
});

it.each([
  [0, null],
  [15, 'floppy'],
  [9, null],
])('reports selector %i as %j', async (selector, device) => {
  const reported = encodeBootFlags({ valid: false, persistent: false, uefi: false, selector });
  expect((await clientOf({ reported }).client.getBootDevice()).device).toBe(device);
  expect((await clientOf({ reported }).client.getBootDevice()).valid).toBe(false);
});

it('rejects truncated flags', async () => {
  await expect(clientOf({ reported: Buffer.alloc(1) }).client.getBootDevice()).rejects.toMatchObject({
    failure: 'bad answer',
  });
});
