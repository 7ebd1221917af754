import { expect, it } from 'vitest';
import { commandedNode, lookedUpNode } from './agent-node.ts';
import type { Node } from './node.ts';

const NODE = {
  uuid: 'n',
  name: 'rack1',
  driver: 'ipmi',
  driverInfo: { ipmi_password: 'secret' },
  properties: { root_device: { serial: 'S' }, skip_block_devices: [{ serial: 'K' }], cpus: 8 },
  instanceInfo: {
    image_source: 'secret',
    configdrive: 'secret',
    display_name: 'secret',
    rescue_password: 'secret',
  },
  extra: { rack: 7 },
  driverInternalInfo: { hardware_manager_version: 'secret', agent_erase_devices_iterations: 3 },
} as unknown as Node;

it('a lookup learns which disks to use, and how to erase them', () => {
  expect(lookedUpNode(NODE)).toEqual({
    uuid: 'n',
    properties: { root_device: { serial: 'S' }, skip_block_devices: [{ serial: 'K' }] },
    instance_info: {},
    driver_internal_info: { agent_erase_devices_iterations: 3 },
  });
});

it('the hints of the instance take precedence', () => {
  const instanceInfo = { root_device: { serial: 'I' } };
  expect(lookedUpNode({ ...NODE, instanceInfo })['properties']).toMatchObject({
    root_device: { serial: 'I' },
  });
  const empty = { ...NODE, properties: {}, instanceInfo: { root_device: null } };
  expect(lookedUpNode(empty)['properties']).toEqual({});
});

it('a command has the node without the secrets of driver_info and instance_info', () => {
  const node = commandedNode({
    ...NODE,
    instanceInfo: { ...NODE.instanceInfo, capabilities: 'boot_mode:uefi' },
  });
  expect(node).toMatchObject({
    properties: NODE.properties,
    extra: { rack: 7 },
    instance_info: { capabilities: 'boot_mode:uefi' },
  });
  expect(JSON.stringify(node)).not.toContain('secret');
});
