import { expect, it } from 'vitest';
import { serverOf } from '../../test/fakes/compute/records.ts';
import type { ServerGroup } from '../domain/compute.ts';
import { usageOf } from './quotas.ts';

const { flavor } = serverOf();
const sized = (vcpus: number, ramMb: number) => ({ flavor: { ...flavor, vcpus, ramMb } });

it('the usage of a project includes failed servers, but not deleted ones', () => {
  const servers = [
    serverOf(sized(2, 1_024)),
    serverOf({ ...sized(4, 4_096), vmState: 'error' }),
    serverOf({ ...sized(8, 8_192), vmState: 'deleted' }),
  ];
  const group = { name: 'g' } as ServerGroup;
  expect(usageOf(servers, [group])).toEqual({ servers: 2, vcpus: 6, ramMb: 5_120, serverGroups: 1 });
  expect(usageOf([], [])).toEqual({ servers: 0, vcpus: 0, ramMb: 0, serverGroups: 0 });
});
