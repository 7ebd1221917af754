/**
 * ImagePropertiesFilter: the machine has the architecture, hypervisor type, virtual machine mode and hypervisor version
 * that the image's properties require.
 */
import type { HostState } from '../host-state.ts';
import type { ImageNeeds } from '../image-needs.ts';
import { satisfiesVersion } from '../version-predicate.ts';
import type { Filter } from './filter.ts';

export const imageProperties: Filter = {
  isAsked: ({ imageNeeds }) => imageNeeds.wanted.length > 0,
  passes: (host, { imageNeeds }) => runs(host, imageNeeds) && suits(host, imageNeeds),
  reason(host, { imageNeeds }) {
    const { supportedInstances, hypervisorVersion } = host;
    if (supportedInstances.length === 0) return `cpu_arch is not known, the image needs ${imageNeeds.text}`;
    if (runs(host, imageNeeds))
      return `hypervisor version ${hypervisorVersion}, the image needs ${imageNeeds.versions}`;
    const has = supportedInstances.map((one) => `${one.architecture} ${one.hypervisorType} ${one.vmMode}`);
    return `runs ${has.join(', ')}, the image needs ${imageNeeds.text}`;
  },
};

const runs = ({ supportedInstances }: HostState, { wanted }: ImageNeeds): boolean =>
  supportedInstances.some((one) => wanted.every(([field, value]) => one[field] === value));

const suits = ({ hypervisorVersion }: HostState, { versions }: ImageNeeds): boolean =>
  versions === undefined || satisfiesVersion(hypervisorVersion, versions);
