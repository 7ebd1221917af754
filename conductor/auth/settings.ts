/**
 * Settings of authentication.
 */
import { DAY_SECONDS, type Settings } from '../domain/setting.ts';

export const AUTH_SETTINGS = {
  auth: {
    name: 'api.auth',
    type: 'choice',
    choices: ['none', 'http_basic', 'keystone'],
    default: 'none',
    help: '`none` accepts everyone and is refused unless the API listens on a loopback address; `http_basic` requires a user name and password of `api.htpasswd_file`; `keystone` requires a token of an OpenStack Keystone, whose roles apply.',
  },
  htpasswdFile: {
    name: 'api.htpasswd_file',
    type: 'path',
    default: null,
    help: 'File with the users of `http_basic`: lines of `name:bcrypt-hash`, as `htpasswd -B` writes them. Read again when it changes.',
  },
  forceInsecure: {
    name: 'api.force_insecure',
    type: 'flag',
    default: false,
    flag: '--force-insecure',
    help: 'Allow `api.auth` `none` on an address that other hosts can reach. For isolated test networks only.',
  },
  keystoneAuthUrl: {
    name: 'keystone.auth_url',
    type: 'url',
    default: null,
    help: 'URL of the Keystone (Identity API v3) that validates tokens, with `api.auth` `keystone`. The password and all tokens are sent there, so use https unless it runs on this machine.',
  },
  keystonePublicUrl: {
    name: 'keystone.www_authenticate_uri',
    type: 'url',
    default: null,
    help: 'URL of Keystone for clients; requests without a token are referred to it. Unset: `keystone.auth_url`.',
  },
  keystoneUsername: {
    name: 'keystone.username',
    type: 'text',
    default: null,
    help: 'User of the conductor in Keystone. It must be allowed to validate tokens: the role `service` in the service project, or `reader` with system scope.',
  },
  keystonePassword: {
    name: 'keystone.password',
    type: 'text',
    default: null,
    secret: true,
    help: 'Password of that user. Prefer the environment variable to a file that other users can read.',
  },
  keystoneUserDomain: {
    name: 'keystone.user_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that user.',
  },
  keystoneProject: {
    name: 'keystone.project',
    type: 'text',
    default: null,
    help: 'Name of the project for which the conductor gets its token. Unset: system scope.',
  },
  keystoneProjectDomain: {
    name: 'keystone.project_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that project.',
  },
  keystoneCaFile: {
    name: 'keystone.ca_file',
    type: 'path',
    default: null,
    help: "PEM file with the CA certificates for verifying Keystone's certificate. Unset: the CAs that Node trusts.",
  },
  keystoneTimeoutMs: {
    name: 'keystone.timeout_seconds',
    type: 'integer',
    default: 10,
    min: 1,
    max: 120,
    unit: 'seconds',
    help: 'Time limit for one call to Keystone; when it is exceeded, the client gets 503.',
  },
  keystoneCacheMs: {
    name: 'keystone.cache_seconds',
    type: 'integer',
    default: 300,
    min: 0,
    max: 3600,
    unit: 'seconds',
    help: 'How long the result of a token validation is cached. During this time a token works while Keystone is down, and a revoked token still works.',
  },
  keystoneServiceProject: {
    name: 'keystone.service_project',
    type: 'text',
    default: 'service',
    help: 'Name of the project of other services, in which the role `service` has the rights of a system member. Nova needs this.',
  },
  keystoneServiceProjectDomain: {
    name: 'keystone.service_project_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that project. A project of the same name in another domain gets no rights.',
  },
  keystoneAdminProject: {
    name: 'keystone.admin_project',
    type: 'text',
    default: null,
    help: 'Name of a project whose role `admin` administers the compute façade. Unset: only `admin` with system scope does. In every other project, `admin` has the rights of a member.',
  },
  keystoneAdminProjectDomain: {
    name: 'keystone.admin_project_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that project. A project of the same name in another domain gets no rights.',
  },
  tokenLifetimeMs: {
    name: 'identity.token_seconds',
    type: 'integer',
    default: 3600,
    min: 60,
    max: 30 * DAY_SECONDS,
    unit: 'seconds',
    help: 'How long a token from `/identity` is valid.',
  },
} as const satisfies Settings;
