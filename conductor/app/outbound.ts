/**
 * The guard of outbound requests, with the addresses that it must know.
 */
import type { Outbound } from '../domain/outbound/outbound.ts';
import { ALL_ROWS } from '../domain/store/page.ts';
import { createBmcHosts, ownAddresses } from '../outbound/address-sources.ts';
import { createOutbound } from '../outbound/outbound.ts';
import type { Foundation } from './foundation.ts';

export function openOutbound({ config, store, now }: Foundation): Outbound {
  const { listen, computeListen, bootPort, bootTlsPort } = config;
  const bmcHosts = createBmcHosts(() => store.nodes.listShown({}, ALL_ROWS, ['driverInfo']), now);
  const ownPorts = [
    listen.port,
    bootPort,
    bootTlsPort,
    ...(computeListen === null ? [] : [computeListen.port]),
  ];
  return createOutbound({
    rules: async () => ({
      allow: config.outboundAllow,
      own: ownAddresses(),
      bmcs: await bmcHosts(),
      ownPorts,
    }),
  });
}
