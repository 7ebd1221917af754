/**
 * ImagePropertiesFilter: the machine can run what the image says it was made for (architecture, hypervisor type,
 * virtual machine mode, hypervisor version).
 */
import { canonicalArchitecture, canonicalHypervisorType, canonicalVmMode } from '../architecture.ts';
import type { SupportedInstance } from '../host-state.ts';
import { satisfiesVersion } from '../version-predicate.ts';
import type { Filter } from './filter.ts';

/** What an instance must be -> the image's property, its older name, and how values are compared. */
const ASKED: readonly (readonly [keyof SupportedInstance, string, string, (value: string) => string])[] = [
  ['architecture', 'hw_architecture', 'architecture', canonicalArchitecture],
  ['hypervisorType', 'img_hv_type', 'hypervisor_type', canonicalHypervisorType],
  ['vmMode', 'hw_vm_mode', 'vm_mode', canonicalVmMode],
];

export const imageProperties: Filter = (host, { image }) => {
  if (image === undefined) return undefined;
  const { properties } = image;
  const wanted = ASKED.flatMap(([field, name, olderName, canonical]) => {
    const value = properties[name] ?? properties[olderName];
    return value === undefined ? [] : [{ field, name, value, canonical: canonical(value) }];
  });
  if (wanted.length === 0) return undefined;

  const text = wanted.map(({ name, value }) => `${name}=${value}`).join(', ');
  if (host.supportedInstances.length === 0) return `cpu_arch is not known, the image needs ${text}`;
  const fits = host.supportedInstances.some((one) =>
    wanted.every(({ field, canonical }) => one[field] === canonical),
  );
  if (!fits) {
    const has = host.supportedInstances.map((one) => ASKED.map(([field]) => one[field]).join(' ')).join(', ');
    return `runs ${has}, the image needs ${text}`;
  }
  const versions = properties['img_hv_requested_version'] ?? properties['hypervisor_version_requires'];
  return versions === undefined || satisfiesVersion(host.hypervisorVersion, versions)
    ? undefined
    : `hypervisor version ${host.hypervisorVersion}, the image needs ${versions}`;
};
