import { describe, expect, it } from 'vitest';
import { AUTH_BODY, parseAuthRequest } from './auth-request.ts';

const token = { methods: ['token'], token: { id: 'abc' } };
const password = (user: object) => ({ methods: ['password'], password: { user } });
const ann = password({ id: 'u1', password: 'secret' });
const parse = (identity: unknown, ...[scope]: unknown[]) =>
  parseAuthRequest({ auth: scope === undefined ? { identity } : { identity, scope } });

describe('a request for a token', () => {
  it.each([
    [token, { method: 'token', token: 'abc' }],
    [ann, { method: 'password', user: 'u1', domain: undefined, password: 'secret' }],
    [
      password({ name: 'ann', domain: { name: 'Default' }, password: 'secret' }),
      { method: 'password', user: 'ann', domain: { name: 'Default' }, password: 'secret' },
    ],
  ])('proves who it is by %j', (identity, proof) => {
    expect(parse(identity)).toEqual({ proof, scope: { kind: 'unsaid' } });
  });

  it.each([
    [null, { kind: 'unsaid' }],
    ['unscoped', { kind: 'none' }],
    [{}, { kind: 'none' }],
    [{ unscoped: {} }, { kind: 'none' }],
    [{ domain: { id: 'default' } }, { kind: 'domain' }],
    [{ system: { all: true } }, { kind: 'system' }],
    [{ project: { id: 'p1' } }, { kind: 'project', project: { id: 'p1' }, domain: undefined }],
    [
      { project: { name: 'red', domain: { id: 'default' } } },
      { kind: 'project', project: { name: 'red' }, domain: { id: 'default' } },
    ],
  ])('wants the scope %j', (scope, wanted) => {
    expect(parse(token, scope).scope).toEqual(wanted);
  });

  it.each<[unknown, string]>([
    [undefined, 'auth must be an object'],
    [{ auth: {} }, 'auth.identity must be an object'],
    [{ auth: { identity: {} } }, 'auth.identity.methods must be a list'],
    [{ auth: { identity: { methods: [] } } }, 'auth.identity.methods must be a list'],
    [{ auth: { identity: { methods: ['token'] } } }, 'auth.identity.token must be an object'],
    [
      { auth: { identity: { ...token, token: { id: '' } } } },
      'auth.identity.token.id must be a text of 1 to',
    ],
    [{ auth: { identity: password({ id: 'u1' }) } }, 'auth.identity.password.user.password must be a text'],
    [
      { auth: { identity: password({ password: 'x' }) } },
      'auth.identity.password.user needs an id or a name',
    ],
    [
      { auth: { identity: password({ name: 'ann', password: 'x' }) } },
      'auth.identity.password.user.domain must be an object',
    ],
    [{ auth: { identity: token, scope: 5 } }, 'auth.scope must be an object or "unscoped"'],
    [{ auth: { identity: token, scope: { project: {}, system: {} } } }, 'auth.scope must name one thing'],
    [{ auth: { identity: token, scope: { system: {} } } }, 'auth.scope.system.all must be true'],
    [{ auth: { identity: token, scope: { trust: {} } } }, 'auth.scope must be project, system or unscoped'],
    [{ auth: { identity: token, scope: { project: { name: 'red' } } } }, 'auth.scope.project.domain must be'],
  ])('%j is refused with the path of what is wrong', (body, message) => {
    expect(() => parseAuthRequest(body)).toThrow(
      expect.objectContaining({ code: 'invalidParameter', message: expect.stringContaining(message) }),
    );
  });

  it('is described by what reads it', () => {
    const { auth } = AUTH_BODY.schema['properties'] as { auth: { properties: object; required: unknown } };
    expect([Object.keys(auth.properties), auth.required]).toEqual([['identity', 'scope'], ['identity']]);
  });

  it.each([[['saml2']], [['password', 'totp']], [[5]]])('the methods %j are not authorized', (methods) => {
    expect(() => parse({ ...token, methods })).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  });
});
