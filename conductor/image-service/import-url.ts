/**
 * URLs of imports. The guard of outbound requests decides about addresses; here are the rules for the URL itself.
 */
import { IngotError } from '../domain/errors.ts';

export interface ImportRules {
  /** Ports that may be asked, as text. */
  readonly importPorts: readonly string[];
}

const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const MAX_URL = 2_048;

/** Throws invalidParameter. */
export function parseImportUrl(text: string, rules: ImportRules): URL {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL) throw refusedImport('it is not a URL');
  checkImportUrl(url, rules);
  return url;
}

/** For the URL and every redirect target. Throws invalidParameter. */
export function checkImportUrl(url: URL, { importPorts }: ImportRules): void {
  const { protocol } = url;
  const usual = DEFAULT_PORT[protocol];
  if (usual === undefined)
    throw refusedImport(`its scheme is ${protocol.slice(0, -1)}; http and https are fetched`);
  const port = url.port || usual;
  if (!importPorts.includes(port))
    throw refusedImport(
      `its port is ${port}, and images are imported from the ports of image_service.import_ports (${importPorts.join(', ')})`,
    );
}

export const refusedImport = (what: string): IngotError =>
  new IngotError('invalidParameter', `The uri to import from was refused: ${what}.`);
