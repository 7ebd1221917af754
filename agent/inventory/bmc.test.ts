import { describe, expect, it } from 'vitest';
import { createAgentHardware } from '../../test/fakes/agent/agent-hardware.ts';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import { readBmcAddress } from './bmc.ts';

/** `ipmitool lan print` of version 1.8.19, recorded. */
const lan = (address: string): string => `Set in Progress         : Set Complete
Auth Type Support       : NONE MD2 MD5 PASSWORD${' '}
Auth Type Enable        : Callback : NONE MD2 MD5 PASSWORD${' '}
                        : OEM      :${' '}
IP Address Source       : Static Address
IP Address              : ${address}
Subnet Mask             : 255.255.255.0
MAC Address             : 52:54:00:aa:00:01
SNMP Community String   : public
Default Gateway IP      : 10.0.0.1
Backup Gateway IP       : 0.0.0.0
802.1q VLAN ID          : Disabled
`;
const NO_CHANNEL = new Error(
  'ipmitool lan print 1 failed (1): Get Channel Info command failed: Requested sensor, data, or record not found\nInvalid channel: 1',
);
const LATE = new Error('ipmitool lan print 1 was stopped after 10 s');

const WITH_DEVICE = { 'dev/ipmi0': '' };

describe('BMC address', () => {
  it.each<[string, Readonly<Record<string, string | Error>>, string, number]>([
    ['the first channel', { 'ipmitool lan print 1': lan('192.0.2.7') }, '192.0.2.7', 1],
    [
      'another channel',
      { 'ipmitool lan print 1': NO_CHANNEL, 'ipmitool lan print 8': lan('192.0.2.8') },
      '192.0.2.8',
      2,
    ],
    [
      'the channel that has an address',
      {
        'ipmitool lan print 1': lan('0.0.0.0'),
        'ipmitool lan print 8': LATE,
        'ipmitool lan print 2': lan('10.1.2.3'),
      },
      '10.1.2.3',
      3,
    ],
    ['none of them', { ipmitool: NO_CHANNEL }, '0.0.0.0', 3],
    ['a BMC without a word', { ipmitool: '' }, '0.0.0.0', 3],
    ['an address that is none', { ipmitool: lan('not set') }, '0.0.0.0', 3],
  ])('is that of %s', async (_, outputs, address, asked) => {
    const { run, started } = createAgentHardware({ outputs });
    expect(await readBmcAddress(run, makeTree(WITH_DEVICE))).toBe(address);
    expect(started).toHaveLength(asked);
  });

  it('is not read when the kernel has no IPMI device', async () => {
    const { run, started } = createAgentHardware({ outputs: { ipmitool: lan('192.0.2.7') } });
    expect(await readBmcAddress(run, makeTree({}))).toBe('0.0.0.0');
    expect(started).toEqual([]);
  });
});
