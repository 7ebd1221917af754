/**
 * Debian packages for a bill of materials.
 */
import type { DebianPackage } from '../debian-packages.ts';
import type { Part } from './cyclonedx.ts';

export const debianPart = ({ name, version, architecture, sha256 }: DebianPackage): Part => {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`;
  return {
    component: {
      'bom-ref': purl,
      type: name.startsWith('linux-image-') ? 'operating-system' : 'library',
      group: 'debian',
      name,
      version,
      ...(sha256 === '' ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
      purl,
    },
    dependsOn: [],
  };
};
