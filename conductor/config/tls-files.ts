/**
 * Certificate and key of a TLS listener, from PEM files. They are checked before they are used, so that an error names
 * the setting and what is wrong with its file.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Values } from './settings.ts';

type TlsPrefix = 'api.tls' | 'compute.tls';

export interface TlsPaths {
  /** Where the settings are: `api.tls` has `api.tls.cert` and `api.tls.key`. */
  readonly prefix: TlsPrefix;
  readonly cert: string;
  readonly key: string;
}

export interface TlsContent {
  /** PEM: the certificate, then those of intermediate CAs. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  readonly expires: Date;
}

/** The files of each listener; null: it speaks plain HTTP. The façade has those of the API if it has none of its own. */
export function tlsPathsOf(
  values: Pick<Values, 'apiTlsCert' | 'apiTlsKey' | 'computeTlsCert' | 'computeTlsKey'>,
): {
  readonly api: TlsPaths | null;
  readonly compute: TlsPaths | null;
} {
  const { apiTlsCert, apiTlsKey, computeTlsCert, computeTlsKey } = values;
  const api = pathsOf('api.tls', apiTlsCert, apiTlsKey);
  return { api, compute: pathsOf('compute.tls', computeTlsCert, computeTlsKey) ?? api };
}

const pathsOf = (prefix: TlsPrefix, cert: string | null, key: string | null): TlsPaths | null =>
  cert === null || key === null ? null : { prefix, cert, key };

/** What is wrong with the settings or with the files of the listeners. */
export function tlsProblems(values: Values): string[] {
  const half = (
    [
      ['api.tls', values.apiTlsCert, values.apiTlsKey],
      ['compute.tls', values.computeTlsCert, values.computeTlsKey],
    ] as const
  ).flatMap(([prefix, cert, key]) => {
    if ((cert === null) === (key === null)) return [];
    return [
      `${prefix}.${cert === null ? 'cert' : 'key'}: is needed with ${prefix}.${cert === null ? 'key' : 'cert'}`,
    ];
  });
  const { api, compute } = tlsPathsOf(values);
  const files = new Set([api, ...(values.computeListen === null ? [] : [compute])]);
  return [...half, ...[...files].flatMap((paths) => problemOf(paths) ?? [])];
}

function problemOf(paths: TlsPaths | null): string | undefined {
  if (paths === null) return undefined;
  try {
    readTlsFiles(paths);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Throws an error that names the setting. */
export function readTlsFiles({ prefix, ...paths }: TlsPaths): TlsContent {
  const [certName, keyName] = [`${prefix}.cert`, `${prefix}.key`];
  const cert = contentOf(paths.cert, certName);
  const key = contentOf(paths.key, keyName);
  if ((statSync(paths.key).mode & 0o007) !== 0)
    throw new Error(
      `${keyName}: ${paths.key} can be read by every user of this machine: chmod o= ${paths.key}`,
    );
  const certificate = parsed(
    cert,
    `${certName}: ${paths.cert} has no certificate in PEM`,
    (pem) => new X509Certificate(pem),
  );
  const privateKey = parsed<KeyObject>(
    key,
    `${keyName}: ${paths.key} has no private key in PEM that is not encrypted`,
    (pem) => createPrivateKey(pem),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(
      `${keyName}: ${paths.key} does not belong to the certificate in ${paths.cert}, whose subject is ${certificate.subject}. The certificate must be the first one in its file`,
    );
  return { cert, key, expires: new Date(certificate.validTo) };
}

function contentOf(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `can not be read: ${code}`;
    throw new Error(`${setting}: ${path} ${why}`, { cause: error });
  }
}

function parsed<T>(pem: string, problem: string, parse: (pem: string) => T): T {
  try {
    return parse(pem);
  } catch (cause) {
    throw new Error(problem, { cause });
  }
}
