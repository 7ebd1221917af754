/**
 * Canonical names of architectures, hypervisor types and virtual machine modes; the synonyms are Nova's.
 */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  i386: 'i686',
  i486: 'i686',
  i586: 'i686',
  x86_32: 'i686',
  x86_32p: 'i686',
  amd64: 'x86_64',
  arm64: 'aarch64',
};

const VM_MODES: Readonly<Record<string, string>> = { pv: 'xen', hv: 'hvm', baremetal: 'hvm' };
const HYPERVISOR_TYPES: Readonly<Record<string, string>> = { xapi: 'xen' };

const canonical = (names: Readonly<Record<string, string>>) => (name: string) => {
  const lower = name.toLowerCase();
  return Object.hasOwn(names, lower) ? names[lower]! : lower;
};

export const canonicalArchitecture = canonical(ARCHITECTURES);
export const canonicalVmMode = canonical(VM_MODES);
export const canonicalHypervisorType = canonical(HYPERVISOR_TYPES);
