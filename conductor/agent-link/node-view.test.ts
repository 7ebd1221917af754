import { expect, it } from 'vitest';
import type { Node, Port } from '../domain/node.ts';
import { nodeView } from './node-view.ts';

it('contains what hardware managers read, and neither the BMC nor the config drive', () => {
  const node = {
    uuid: 'n',
    name: 'rack1',
    driver: 'ipmi',
    driverInfo: { ipmi_password: 'secret' },
    properties: { root_device: { serial: 'S' } },
    instanceInfo: { image_source: 'secret', configdrive: 'secret', capabilities: { boot_mode: 'uefi' } },
    extra: {},
    provisionState: 'deploying',
    targetProvisionState: 'active',
    resourceClass: 'gold',
    driverInternalInfo: { agent_url: 'secret', agent_erase_devices_iterations: 2 },
  } as unknown as Node;
  const port = {
    uuid: 'p',
    address: '52:54:00:00:00:01',
    pxeEnabled: true,
    physicalNetwork: null,
    localLinkConnection: {},
  } as unknown as Port;
  const view = nodeView(node, [port]);
  expect(view).toEqual({
    node: {
      uuid: 'n',
      name: 'rack1',
      driver: 'ipmi',
      properties: { root_device: { serial: 'S' } },
      instance_info: { capabilities: { boot_mode: 'uefi' } },
      extra: {},
      provision_state: 'deploying',
      target_provision_state: 'active',
      resource_class: 'gold',
      driver_internal_info: { agent_erase_devices_iterations: 2 },
    },
    ports: [
      {
        uuid: 'p',
        address: '52:54:00:00:00:01',
        pxe_enabled: true,
        physical_network: null,
        local_link_connection: {},
      },
    ],
  });
});
