/**
 * The authentication settings from the configuration.
 */
import { join } from 'node:path';
import type { AuthSettings } from '../auth/create-authentication.ts';
import type { KeystoneSettings } from '../auth/keystone.ts';
import type { Config } from '../config/config.ts';

export function authSettingsOf(config: Config): AuthSettings {
  const { publicEndpoint, computePublicEndpoint } = config;
  return {
    auth: config.auth,
    htpasswdFile: config.htpasswdFile,
    keystone: keystoneSettings(config),
    host: config.host,
    publicEndpoints: [publicEndpoint, computePublicEndpoint].filter((url) => url !== null),
    // The identity service of the façade issues the tokens.
    tokens:
      config.computeListen === null
        ? null
        : { keyFile: join(config.dataDir, 'token.key'), lifetimeMs: config.tokenLifetimeMs },
  };
}

/** null unless all settings are there; the configuration checks that they are when Keystone is used. */
function keystoneSettings(config: Config): KeystoneSettings | null {
  const { keystoneAuthUrl: authUrl, keystoneUsername: username, keystonePassword: password } = config;
  if (authUrl === null || username === null || password === null) return null;
  return {
    authUrl,
    username,
    password,
    userDomain: config.keystoneUserDomain,
    project: config.keystoneProject,
    projectDomain: config.keystoneProjectDomain,
    caFile: config.keystoneCaFile,
    timeoutMs: config.keystoneTimeoutMs,
    publicUrl: config.keystonePublicUrl,
    cacheMs: config.keystoneCacheMs,
    serviceProject: config.keystoneServiceProject,
    serviceProjectDomain: config.keystoneServiceProjectDomain,
    adminProject: config.keystoneAdminProject,
    adminProjectDomain: config.keystoneAdminProjectDomain,
  };
}
