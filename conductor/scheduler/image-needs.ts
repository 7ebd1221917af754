/**
 * The requirements that an image's properties make on a machine (Glance: "useful image properties").
 */
import { canonicalArchitecture, canonicalHypervisorType, canonicalVmMode } from './architecture.ts';
import type { SupportedInstance } from './host-state.ts';

export interface ImageNeeds {
  /** Required fields of a supported instance; empty for an image without requirements. */
  readonly wanted: readonly (readonly [keyof SupportedInstance, string])[];
  /** `hw_architecture=amd64`, for the reason of a refusal. */
  readonly text: string;
  /** Predicate for the hypervisor's version. */
  readonly versions: string | undefined;
}

/** Field of a supported instance, the image's property for it, the older name, and the normalization of values. */
const ASKED: readonly (readonly [keyof SupportedInstance, string, string, (value: string) => string])[] = [
  ['architecture', 'hw_architecture', 'architecture', canonicalArchitecture],
  ['hypervisorType', 'img_hv_type', 'hypervisor_type', canonicalHypervisorType],
  ['vmMode', 'hw_vm_mode', 'vm_mode', canonicalVmMode],
];

export function imageNeedsOf(properties: Readonly<Record<string, string>>): ImageNeeds {
  const found = ASKED.flatMap(([field, name, olderName, canonical]) => {
    const value = properties[name] ?? properties[olderName];
    return value === undefined ? [] : [{ name, value, want: [field, canonical(value)] as const }];
  });
  return {
    wanted: found.map(({ want }) => want),
    text: found.map(({ name, value }) => `${name}=${value}`).join(', '),
    versions: properties['img_hv_requested_version'] ?? properties['hypervisor_version_requires'],
  };
}
