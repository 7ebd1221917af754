/**
 * ImagePropertiesFilter: the machine can run what the image says it was made for (architecture, hypervisor type,
 * virtual machine mode, hypervisor version).
 */
import { satisfiesVersion } from '../version-predicate.ts';
import type { Filter } from './filter.ts';

export const imageProperties: Filter = (host, { imageNeeds: { wanted, text, versions } }) => {
  if (wanted.length === 0) return undefined;
  const { supportedInstances, hypervisorVersion } = host;
  if (supportedInstances.length === 0) return `cpu_arch is not known, the image needs ${text}`;
  const fits = supportedInstances.some((one) => wanted.every(([field, value]) => one[field] === value));
  if (!fits) {
    const has = supportedInstances.map((one) => `${one.architecture} ${one.hypervisorType} ${one.vmMode}`);
    return `runs ${has.join(', ')}, the image needs ${text}`;
  }
  return versions === undefined || satisfiesVersion(hypervisorVersion, versions)
    ? undefined
    : `hypervisor version ${hypervisorVersion}, the image needs ${versions}`;
};
