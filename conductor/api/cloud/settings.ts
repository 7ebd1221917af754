/**
 * Settings of the listener that the compute, image, network and identity APIs share.
 */
import type { Settings } from '../../domain/setting.ts';

export const CLOUD_SETTINGS = {
  computeListen: {
    name: 'compute.listen',
    type: 'hostPort',
    default: null,
    flag: '--compute-listen <host:port>',
    help: 'Address of the compute façade: Nova, Glance, Neutron and Keystone as far as bare metal has them, under `/compute`, `/image`, `/network` and `/identity`. `api.auth` holds for it too. Unset: no façade.',
  },
  computePublicEndpoint: {
    name: 'compute.public_endpoint',
    type: 'url',
    default: null,
    help: 'Base URL of the façade in its catalog and links, when clients reach it by another one than they send in Host.',
  },
  computeRegion: {
    name: 'compute.region',
    type: 'text',
    default: 'RegionOne',
    help: 'Region of the endpoints in the catalog.',
  },
} as const satisfies Settings;
