import { expect, it } from 'vitest';
import { catalogOf, endpointsList, servicesList } from './catalog.ts';

const PLACE = { base: 'http://cloud:8774', bareMetal: 'http://cloud:6385', region: 'RegionOne' };

it('the catalog, the services and the endpoints name the same', () => {
  const catalog = catalogOf(PLACE) as { type: string; endpoints: { id: string; url: string }[] }[];
  const endpoints = endpointsList(PLACE) as { id: string; service_id: string; url: string }[];
  expect(servicesList().map(({ type }) => type)).toEqual(catalog.map(({ type }) => type));
  expect(catalog.flatMap((one) => one.endpoints.map(({ id, url }) => [id, one.type, url]))).toEqual(
    endpoints.map(({ id, service_id: type, url }) => [id, type, url]),
  );
});

it('each service has an endpoint for each interface; the façade is on one port', () => {
  const catalog = catalogOf(PLACE) as { type: string; endpoints: { interface: string; url: string }[] }[];
  for (const { endpoints } of catalog)
    expect(endpoints.map((one) => one.interface)).toEqual(['public', 'internal', 'admin']);
  expect(Object.fromEntries(catalog.map(({ type, endpoints }) => [type, endpoints[0]?.url]))).toEqual({
    identity: 'http://cloud:8774/identity',
    compute: 'http://cloud:8774/compute/v2.1',
    image: 'http://cloud:8774/image',
    network: 'http://cloud:8774/network',
    baremetal: 'http://cloud:6385',
  });
});
