/**
 * Addresses of servers as our DHCP asks for them: by the MAC of the node's port that a server's port is bound to.
 */
import type { FixedAddresses } from '../domain/boot.ts';
import type { NetworkPort } from '../domain/compute.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';

/** `cidr`: of the network it serves, in canonical form. */
export function createFixedAddresses({ compute }: Pick<Store, 'compute'>, cidr: string): FixedAddresses {
  return {
    async of(mac) {
      const ports = await listAll(compute.networkPorts, { macAddress: mac });
      // A port that is bound to no machine has a MAC only in name.
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
