import { describe, expect, it } from 'vitest';
import type { KernelParam, Mac } from '../domain/boot.ts';
import type { Node } from '../domain/node.ts';
import { createBootDirectory, decisionFor } from './boot-directory.ts';

const MAC = '52:54:00:00:00:01' as Mac;
const node = (bootTarget: Node['bootTarget'], provisionState = 'available') =>
  ({ uuid: 'n', bootTarget, provisionState }) as unknown as Node;

describe('a node boots', () => {
  const kernelParams = ['nofb'] as unknown as KernelParam[];

  it.each([
    [node({ kind: 'ramdisk', kernelParams }), { kind: 'ramdisk', nodeUuid: 'n', kernelParams }],
    [node({ kind: 'ramdisk', kernelParams }, 'active'), { kind: 'ramdisk', nodeUuid: 'n', kernelParams }],
    [node({ kind: 'disk' }), { kind: 'disk', nodeUuid: 'n' }],
    [node(null, 'active'), { kind: 'disk', nodeUuid: 'n' }],
    [node(null), { kind: 'nothing', nodeUuid: 'n' }],
  ])('from %j: %j', (from, decision) => {
    expect(decisionFor(from)).toEqual(decision);
  });
});

it('finds the node of a machine by a port that may boot from the network', async () => {
  const asked: unknown[] = [];
  const directory = (ports: readonly object[]) =>
    createBootDirectory({
      ports: {
        list: async (filter: object) => {
          asked.push(filter);
          return ports;
        },
      },
      nodes: { find: async () => node({ kind: 'disk' }) },
    } as unknown as Parameters<typeof createBootDirectory>[0]);
  const port = { nodeUuid: 'n', pxeEnabled: true };
  expect(await directory([port]).decide({ mac: MAC })).toEqual({ kind: 'disk', nodeUuid: 'n' });
  expect(await directory([{ ...port, pxeEnabled: false }]).decide({ mac: MAC })).toEqual({ kind: 'unknown' });
  expect(await directory([]).decide({ mac: MAC })).toEqual({ kind: 'unknown' });
  expect(asked).toEqual([{ address: MAC }, { address: MAC }, { address: MAC }]);
});
