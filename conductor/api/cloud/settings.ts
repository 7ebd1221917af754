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
    help: 'Address of the compute façade: the parts of Nova, Glance, Neutron and Keystone that apply to bare metal, under `/compute`, `/image`, `/network` and `/identity`. `api.auth` applies to it, too. Unset: no façade.',
  },
  computeTlsCert: {
    name: 'compute.tls.cert',
    type: 'path',
    default: null,
    help: 'PEM file with the certificate of the façade, as `api.tls.cert`. Unset: the façade has certificate and key of `api.tls`.',
  },
  computeTlsKey: {
    name: 'compute.tls.key',
    type: 'path',
    default: null,
    help: 'PEM file with the private key of that certificate.',
  },
  computePublicEndpoint: {
    name: 'compute.public_endpoint',
    type: 'url',
    default: null,
    help: 'Base URL of the façade in its catalog and links, if it differs from the Host header that arrives here.',
  },
  computeRegion: {
    name: 'compute.region',
    type: 'text',
    default: 'RegionOne',
    help: 'Region of the endpoints in the catalog.',
  },
} as const satisfies Settings;
