/**
 * Versions of the program, of the API and of Node.
 */
import { readFileSync } from 'node:fs';
import { versionText as apiVersion, MAX_MINOR } from '@ingot/shared/ironic/versions.ts';

export function versionText(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return `ingot ${version} (Ironic API ${apiVersion(MAX_MINOR)}, Node ${process.versions.node})`;
}
