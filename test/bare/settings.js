/**
 * The host's settings for package archives of apt and npm: sources, keys, passwords, proxies, certificates. Other
 * settings, such as hooks of apt, are not copied.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ask, fail } from './program.js';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** The package ca-certificates generates that file from the certificates in this directory when it is installed. */
const OWN_CERTIFICATES = '/usr/local/share/ca-certificates';
const COPIED = [
  '/etc/apt/keyrings',
  '/etc/apt/trusted.gpg.d',
  '/etc/apt/auth.conf',
  '/etc/apt/auth.conf.d',
  '/usr/share/keyrings',
  '/etc/hosts',
  '/etc/resolv.conf',
];
/** Settings for downloads of packages. */
const FETCHING = /^Acquire::/;
const ALSO = 'Acquire::Retries "3";';

/** Files that name archives of `suite`; mmdebstrap copies them into the root. */
export function aptSources(suite) {
  const dir = '/etc/apt/sources.list.d';
  const parts = existsSync(dir) ? readdirSync(dir).filter((name) => /\.(list|sources)$/.test(name)) : [];
  const files = ['/etc/apt/sources.list', ...parts.map((name) => join(dir, name))].filter(existsSync);
  if (!files.some((file) => readFileSync(file, 'utf8').includes(suite)))
    fail(
      `/etc/apt names no archive of ${suite}: a bare root is installed from the archives that this host uses`,
    );
  return files;
}

export function writeAptSettings(path) {
  const lines = ask('apt-config', ['dump']).split('\n');
  writeFileSync(path, `${lines.filter((line) => FETCHING.test(line)).join('\n')}\n${ALSO}\n`);
}

export function copySettings(root) {
  for (const path of COPIED) copy(path, join(root, path));
  for (const [index, path] of certificates().entries()) {
    copy(path, join(root, path));
    copy(path, join(root, OWN_CERTIFICATES, `of-the-host-${index}.crt`));
  }
  copy(ask('npm', ['config', 'get', 'userconfig']), join(root, 'root/.npmrc'));
  copy(ask('npm', ['config', 'get', 'globalconfig']), join(root, 'etc/npmrc'));
}

/** Certificates that TLS archives need: the system's, and those that the settings name. */
function certificates() {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
  const named = [CERTIFICATES, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, ask('npm', ['config', 'get', 'cafile'])];
  return [...new Set(named)].filter((path) => path !== undefined && existsSync(path));
}

/** Copies the target of a link: resolv.conf often is a link to a file that the root does not have. */
function copy(from, to) {
  if (from === '' || !existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true, force: true });
}
