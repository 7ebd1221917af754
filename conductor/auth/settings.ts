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
    help: '`none` lets everybody in and is refused unless the API listens on a loopback address; `http_basic` asks for a name and password of `api.htpasswd_file`; `keystone` for a token of an OpenStack Keystone, whose roles count.',
  },
  htpasswdFile: {
    name: 'api.htpasswd_file',
    type: 'path',
    default: null,
    help: 'Users of `http_basic`, lines of `name:bcrypt-hash` as `htpasswd -B` writes them. Read again when it changes.',
  },
  forceInsecure: {
    name: 'api.force_insecure',
    type: 'flag',
    default: false,
    flag: '--force-insecure',
    help: 'Start without authentication on an address that others can reach. For closed laboratories.',
  },
  keystoneAuthUrl: {
    name: 'keystone.auth_url',
    type: 'url',
    default: null,
    help: 'Keystone (Identity API v3) that tokens are checked against, with `api.auth` keystone. The password and all tokens travel there: https, unless it is on this machine.',
  },
  keystonePublicUrl: {
    name: 'keystone.www_authenticate_uri',
    type: 'url',
    default: null,
    help: 'Keystone as callers reach it, told to those who come without a token. Unset: `keystone.auth_url`.',
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
    help: 'Password of that user. Better in the environment than in a file that others can read.',
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
    help: 'Name of the project the conductor logs in to. Unset: system scope.',
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
    help: "PEM file with the authorities that Keystone's certificate is checked against. Unset: the well-known ones.",
  },
  keystoneTimeoutMs: {
    name: 'keystone.timeout_seconds',
    type: 'integer',
    default: 10,
    min: 1,
    max: 120,
    unit: 'seconds',
    help: 'Limit of one call to Keystone; after it the request gets 503.',
  },
  keystoneCacheMs: {
    name: 'keystone.cache_seconds',
    type: 'integer',
    default: 300,
    min: 0,
    max: 3600,
    unit: 'seconds',
    help: 'How long an answer about a token is believed. Within it a token goes on while Keystone is down, and a revoked one goes on too.',
  },
  keystoneServiceProject: {
    name: 'keystone.service_project',
    type: 'text',
    default: 'service',
    help: 'Name of the project of other services: there the role `service` has the rights of a system member. Nova needs it.',
  },
  keystoneServiceProjectDomain: {
    name: 'keystone.service_project_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that project. One of the same name in another domain has no rights.',
  },
  tokenLifetimeMs: {
    name: 'identity.token_seconds',
    type: 'integer',
    default: 3600,
    min: 60,
    max: 30 * DAY_SECONDS,
    unit: 'seconds',
    help: 'How long a token counts that `/identity` gives for a name and password.',
  },
} as const satisfies Settings;
