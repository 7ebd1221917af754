/**
 * The guard of outbound requests, with the addresses that it must know.
 */
import type { Outbound } from '../domain/outbound/outbound.ts';
import { ALL_ROWS } from '../domain/store/page.ts';
import { createBmcHosts, resolveName } from '../outbound/bmc-hosts.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { ownAddresses } from '../outbound/own-addresses.ts';
import type { Foundation } from './foundation.ts';

export function openOutbound({ config, store, now }: Foundation): Outbound {
  const { listen, computeListen, bootPort, bootTlsPort } = config;
  const bmcHosts = createBmcHosts({
    list: () => store.nodes.listShown({}, ALL_ROWS, ['driverInfo']),
    resolve: resolveName,
    now,
  });
  const ownPorts = [
    listen.port,
    bootPort,
    bootTlsPort,
    ...(computeListen === null ? [] : [computeListen.port]),
  ];
  return createOutbound({
    rules: () => ({ allow: config.outboundAllow, own: ownAddresses(), ownPorts }),
    bmcHosts,
  });
}
