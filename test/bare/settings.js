/**
 * The settings of this host by which apt and npm reach their archives: sources, keys, passwords, proxies, certificates.
 * Whatever else is set here, such as hooks of apt, is no part of a bare root.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ask, fail } from './program.js';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** The package ca-certificates, once it is installed, makes that file anew, and of what lies here. */
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
/** How packages are fetched. */
const FETCHING = /^Acquire::/;
const ALSO = 'Acquire::Retries "3";';

/** Files that name archives of `suite` among others, for mmdebstrap, which puts them into the root. */
export function aptSources(suite) {
  const dir = '/etc/apt/sources.list.d';
  const parts = existsSync(dir) ? readdirSync(dir).filter((name) => /\.(list|sources)$/.test(name)) : [];
  const files = ['/etc/apt/sources.list', ...parts.map((name) => join(dir, name))].filter(existsSync);
  if (!files.some((file) => readFileSync(file, 'utf8').includes(suite)))
    fail(`/etc/apt names no archive of ${suite}: a bare root is made of the archives that this host uses`);
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

/** Those by which archives are trusted that are reached by TLS: the system's, and what the settings name instead. */
function certificates() {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
  const named = [CERTIFICATES, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, ask('npm', ['config', 'get', 'cafile'])];
  return [...new Set(named)].filter((path) => path !== undefined && existsSync(path));
}

/** Links are followed: resolv.conf often is one to a place that the root does not have. */
function copy(from, to) {
  if (from === '' || !existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true, force: true });
}
