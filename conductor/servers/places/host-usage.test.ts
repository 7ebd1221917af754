import { expect, it } from 'vitest';
import { serverOf } from '../../../test/fakes/compute/records.ts';
import { hostUsage, machineUsage } from './host-usage.ts';

const machine = (instanceUuid: string | null) => ({
  instanceUuid,
  properties: { cpus: 8, memory_mb: 1_024.5, local_gb: '100' },
});
const WHOLE = { vcpus: 8, ramMb: 1_024, diskGb: 100 };
const NOTHING = { vcpus: 0, ramMb: 0, diskGb: 0 };

it('a machine is used completely or not at all', () => {
  expect(machineUsage(machine('a'))).toEqual({ total: WHOLE, used: WHOLE, free: NOTHING });
  expect(machineUsage(machine(null))).toEqual({ total: WHOLE, used: NOTHING, free: WHOLE });
});

it('a host has the sums of its machines and of the flavors of its servers', () => {
  const { flavor } = serverOf();
  const small = { ...flavor, vcpus: 2, ramMb: 512, rootGb: 10, ephemeralGb: 5 };
  const servers = [
    serverOf({ projectId: 'red', flavor: small }),
    serverOf({ projectId: 'blue', flavor: small }),
    serverOf({ projectId: 'blue', flavor: small, vmState: 'deleted' }),
  ];
  const one = { vcpus: 2, ramMb: 512, diskGb: 15 };
  expect(hostUsage([machine('a'), machine('b'), machine(null)], servers)).toEqual({
    total: { vcpus: 24, ramMb: 3_072, diskGb: 300 },
    used: { vcpus: 16, ramMb: 2_048, diskGb: 200 },
    requested: { vcpus: 4, ramMb: 1_024, diskGb: 30 },
    requestedByProject: new Map([
      ['red', one],
      ['blue', one],
    ]),
  });
  expect(hostUsage([], [])).toMatchObject({ total: NOTHING, requestedByProject: new Map() });
});
