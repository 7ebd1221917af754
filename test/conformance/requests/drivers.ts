/** Drivers and conductors. */
import { atVersions, get, type RequestGroup } from '../request.ts';

export const drivers: RequestGroup = {
  name: 'drivers',
  requests: [
    get('list', '/v1/drivers'),
    ...atVersions([1, 13, 14, 29, 30, 76, 77], () => get('list', '/v1/drivers')),
    get('detail', '/v1/drivers?detail=true'),
    get('detail before it was', '/v1/drivers?detail=true', { v: 29 }),
    get('dynamic', '/v1/drivers?type=dynamic'),
    get('classic', '/v1/drivers?type=classic'),
    get('a bad type', '/v1/drivers?type=steam'),
    get('fields', '/v1/drivers?fields=name,hosts'),
    get('fields before they were', '/v1/drivers?fields=name', { v: 76 }),
    get('an unknown field', '/v1/drivers?fields=bogus'),
    get('fields and detail', '/v1/drivers?fields=name&detail=true'),
    get('an unknown argument', '/v1/drivers?colour=red'),
    get('show', '/v1/drivers/fake-hardware'),
    ...atVersions([1, 14, 30, 33, 38, 40], () => get('show', '/v1/drivers/fake-hardware')),
    get('show ipmi', '/v1/drivers/ipmi'),
    get('show fields', '/v1/drivers/ipmi?fields=name,default_power_interface'),
    get('show an unknown field', '/v1/drivers/ipmi?fields=bogus'),
    get('unknown', '/v1/drivers/magic'),
    get('properties', '/v1/drivers/fake-hardware/properties'),
    get('properties of an unknown one', '/v1/drivers/magic/properties'),
  ],
};

export const conductors: RequestGroup = {
  name: 'conductors',
  requests: [
    get('list', '/v1/conductors'),
    get('before they were', '/v1/conductors', { v: 48 }),
    get('detail', '/v1/conductors?detail=true'),
    get('fields', '/v1/conductors?fields=hostname,drivers'),
    get('an unknown field', '/v1/conductors?fields=bogus'),
    get('fields and detail', '/v1/conductors?fields=hostname&detail=true'),
    get('a page', '/v1/conductors?limit=1'),
    get('a bad limit', '/v1/conductors?limit=0'),
    get('a marker', '/v1/conductors?marker=conformance'),
    get('an unknown marker', '/v1/conductors?marker=nobody'),
    get('sorted', '/v1/conductors?sort_key=hostname&sort_dir=desc'),
    get('sorted badly', '/v1/conductors?sort_key=bogus'),
    get('sorted sideways', '/v1/conductors?sort_dir=sideways'),
    get('sorted by drivers', '/v1/conductors?sort_key=drivers'),
    get('an unknown argument', '/v1/conductors?colour=red'),
    get('show', '/v1/conductors/conformance'),
    get('show fields', '/v1/conductors/conformance?fields=hostname'),
    get('show an unknown field', '/v1/conductors/conformance?fields=bogus'),
    get('unknown', '/v1/conductors/nobody'),
    get('show before they were', '/v1/conductors/conformance', { v: 48 }),
  ],
};
