/**
 * What the configuration says about who may call.
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
    // The façade has the identity service that gives them.
    tokens:
      config.computeListen === null
        ? null
        : { keyFile: join(config.dataDir, 'token.key'), lifetimeMs: config.tokenLifetimeMs },
  };
}

/** null unless all that is needed is set, which the configuration makes sure of where it is used. */
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
  };
}
