/**
 * The addresses of servers, looked up for our DHCP server: by the MAC address of the node port to which a server's
 * port is bound.
 */
import type { FixedAddresses } from '../domain/boot.ts';
import type { NetworkPort } from '../domain/compute.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';

/** `cidr`: the network that our DHCP server serves, in canonical form. */
export function createFixedAddresses({ compute }: Pick<Store, 'compute'>, cidr: string): FixedAddresses {
  return {
    async of(mac) {
      const ports = await listAll(compute.networkPorts, { macAddress: mac });
      // No machine has the MAC address of a port that is not bound.
      const places = ports
        .filter(isBound)
        .flatMap(({ fixedIps, bindingHost }) =>
          fixedIps.map(({ subnetId, ipAddress }) => ({ subnetId, ipAddress, bindingHost })),
        );
      for (const { subnetId, ipAddress, bindingHost } of places) {
        const subnet = await compute.subnets.find(subnetId);
        if (subnet?.cidr !== cidr || !subnet.isDhcpEnabled) continue;
        return {
          address: ipAddress,
          router: subnet.gatewayIp,
          dns: subnet.dnsNameservers,
          nodeUuid: bindingHost,
        };
      }
      return undefined;
    },

    async isReserved(address) {
      for (const { uuid } of await listAll(compute.subnets, { cidr }))
        if ((await listAll(compute.ipAllocations, { subnetUuid: uuid, address })).length > 0) return true;
      return false;
    },
  };
}

const isBound = ({ nodePortUuid }: NetworkPort): boolean => nodePortUuid !== null;
