import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  RACK_VERSIONS,
  RACKS,
  type RackCollection,
  rackCollection,
  rackHost,
  sendRackError,
} from '../../../test/fakes/rack-api.ts';
import { registerCollection } from './collection-routes.ts';
import { collectDocs } from './documented-routes.ts';
import { acceptJson } from './json-body.ts';
import { negotiateVersions } from './microversion.ts';
import { refuseUnknownArguments } from './route-doc.ts';

const [r1, , r3] = RACKS;

function api(changes: Partial<RackCollection> = {}) {
  const app = Fastify();
  app.setErrorHandler(sendRackError);
  negotiateVersions(app, RACK_VERSIONS);
  acceptJson(app);
  refuseUnknownArguments(app);
  const docs = collectDocs(app, () => ({ policy: 'public', isOpen: true }), 1024);
  const { collection, told } = rackCollection(changes);
  const routes = registerCollection(app, rackHost({ maxLimit: 10 }), collection);
  async function ask(call: string, minor = 20, payload?: object) {
    const [method, url] = call.split(' ') as ['GET' | 'POST' | 'PATCH' | 'DELETE', string];
    const headers = { 'x-rack-version': `1.${minor}` };
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
    return {
      status: answer.statusCode,
      location: answer.headers.location,
      body: answer.body === '' ? null : answer.json(),
    };
  }
  const namesIn = async (url: string, minor?: number) => {
    const { body } = await ask(`GET ${url}`, minor);
    return body.racks?.map((rack: object) => Object.keys(rack).join(' ')) ?? body.text;
  };
  return { app, ask, namesIn, docs, told, routes };
}

const ALL = 'uuid name in_use notes owner links';

describe('a list', () => {
  it('shows its own fields, those that are asked for, or all', async () => {
    const { namesIn } = api();
    expect((await namesIn('/v1/racks'))[0]).toBe('uuid name links');
    expect((await namesIn('/v1/racks?fields=notes'))[0]).toBe('notes links');
    expect((await namesIn('/v1/racks?detail=true'))[0]).toBe(ALL);
    expect((await namesIn('/v1/racks?detail=false'))[0]).toBe('uuid name links');
    expect((await namesIn('/v1/racks/detail'))[0]).toBe(ALL);
  });

  it.each([
    ['/v1/racks?colour=red', 20, 'Unexpected arguments: colour'],
    ['/v1/racks/detail?fields=name', 20, 'Unexpected arguments: fields'],
    ['/v1/racks/detail?detail=true', 20, 'Unexpected arguments: detail'],
    ['/v1/racks?detail=true', 8, expect.stringContaining('needs API version 1.9')],
    ['/v1/racks?in_use=true', 5, expect.stringContaining('needs API version 1.6')],
    ['/v1/racks?fields=name', 7, expect.stringContaining('needs API version 1.8')],
  ])('refuses %s at 1.%i', async (url, minor, text) => {
    expect(await api().namesIn(url, minor)).toEqual(text);
  });

  it('has the records that the filter keeps, also in detail', async () => {
    const { ask } = api({
      filterOf: async ({ in_use: inUse }) => (inUse === undefined ? {} : { inUse }),
    });
    for (const path of ['/v1/racks', '/v1/racks/detail']) {
      expect((await ask(`GET ${path}?in_use=true`)).body.racks).toMatchObject([{ uuid: r3.uuid }]);
      expect((await ask(`GET ${path}`)).body.racks).toHaveLength(3);
    }
  });

  it('has neither ?detail= nor a path for it where the collection says so', async () => {
    const { namesIn, ask } = api({ detailSince: null, hasDetailPath: false });
    expect(await namesIn('/v1/racks?detail=true')).toBe('Unexpected arguments: detail');
    expect((await ask('GET /v1/racks/detail')).body).toMatchObject({
      status: 404,
      text: expect.stringContaining('detail'),
    });
  });

  it('under another resource has what belongs to that, from the later of both versions', async () => {
    const { ask, routes } = api();
    routes.listUnder('rooms/:room', 6, async () => ({ inUse: true }));
    expect((await ask('GET /v1/rooms/1/racks', 5)).status).toBe(404);
    expect((await ask('GET /v1/rooms/1/racks', 6)).body.racks).toMatchObject([{ uuid: r3.uuid }]);
    expect((await ask('GET /v1/rooms/1/racks/detail', 6)).body.racks).toMatchObject([{ uuid: r3.uuid }]);

    const { ask: askOlder, routes: older } = api();
    older.listUnder('rooms/:room', 1, async () => ({}));
    expect((await askOlder('GET /v1/rooms/1/racks', 2)).status).toBe(404);
    expect((await askOlder('GET /v1/rooms/1/racks', 3)).status).toBe(200);
  });
});

describe('one record', () => {
  it('is shown whole or with the fields that are asked for', async () => {
    const { ask } = api();
    expect(Object.keys((await ask('GET /v1/racks/r1')).body).join(' ')).toBe(ALL);
    expect((await ask('GET /v1/racks/r1?fields=name')).body).toEqual({
      name: 'r1',
      links: expect.any(Array),
    });
    expect(await ask('GET /v1/racks/r9')).toMatchObject({
      status: 404,
      body: { text: 'Server rack r9 could not be found.' },
    });
  });

  it('is found and shown for other routes too', async () => {
    const { routes } = api();
    const request = { minor: 5 } as never;
    expect(await routes.find(request, 'r1')).toBe(r1);
    expect(Object.keys(routes.present(request, r1))).toEqual(['uuid', 'name', 'notes', 'links']);
    expect(Object.keys(routes.present(request, r1, ['name']))).toEqual(['name', 'links']);
  });

  it('is created, and the answer says where it is', async () => {
    const { ask, told } = api();
    const uuid = '00000000-0000-4000-8000-000000000004';
    const body = { name: 'r4', in_use: 'yes' };
    expect(await ask('POST /v1/racks', 20, body)).toEqual({
      status: 201,
      location: `http://api/v1/racks/${uuid}`,
      body: expect.objectContaining({ uuid, name: 'r4', in_use: true, owner: null }),
    });
    expect(told).toEqual([{ create: { name: 'r4', inUse: true } }]);
    expect(await ask('POST /v1/racks', 20, {})).toMatchObject({
      status: 400,
      body: { text: "Schema error for server rack: 'name' is a required property" },
    });
    expect(told).toHaveLength(1);
  });

  it('is changed in the fields that the operations touch, and in no others', async () => {
    const { ask, told } = api();
    const operations = [
      { op: 'replace', path: '/in_use', value: 'no' },
      { op: 'add', path: '/notes/door', value: 'left' },
    ];
    expect(await ask('PATCH /v1/racks/r3', 20, operations)).toMatchObject({
      status: 200,
      body: { uuid: r3.uuid, in_use: false, notes: { door: 'left' }, owner: null },
    });
    expect(told).toEqual([{ update: 'r3', values: { inUse: false, notes: { door: 'left' } } }]);
  });

  it('is not changed by the removal of what is not stored', async () => {
    const { ask } = api();
    const remove = [{ op: 'remove', path: '/notes/door' }];
    expect((await ask('PATCH /v1/racks/r1', 20, remove)).status).toBe(400);
  });

  it.each([
    [[{ op: 'remove', path: '/owner' }], 'Only the following can be updated: in_use, name, notes'],
    [{ name: 'r2' }, 'Schema error for patch'],
  ])('is not changed by %j', async (operations, text) => {
    const { ask, told } = api();
    expect(await ask('PATCH /v1/racks/r1', 20, operations)).toMatchObject({
      status: 400,
      body: { text: expect.stringContaining(text) },
    });
    expect(told).toEqual([]);
  });

  it('is deleted', async () => {
    const { ask, told } = api();
    expect(await ask('DELETE /v1/racks/r1')).toMatchObject({ status: 204, body: null });
    expect(told).toEqual([{ remove: 'r1' }]);
    expect((await ask('DELETE /v1/racks/r9')).status).toBe(404);
    expect(told).toHaveLength(1);
  });

  it('is there when the answer comes: work that fails later fails the request', async () => {
    const fails = () => Promise.reject(new Error('later'));
    const { ask } = api({ create: fails, update: fails, remove: fails });
    expect((await ask('POST /v1/racks', 20, { name: 'r4' })).status).toBe(500);
    expect((await ask('PATCH /v1/racks/r1', 20, [])).status).toBe(500);
    expect((await ask('DELETE /v1/racks/r1')).status).toBe(500);
  });
});

describe('requests of older versions', () => {
  it.each([
    ['GET /v1/racks', 3, 404],
    ['GET /v1/racks/detail', 3, 404],
    ['GET /v1/racks/00000000-0000-4000-8000-000000000001', 3, 404],
    ['POST /v1/racks', 3, 405],
    ['PATCH /v1/racks/00000000-0000-4000-8000-000000000001', 4, 405],
    ['DELETE /v1/racks/00000000-0000-4000-8000-000000000001', 3, 405],
  ])('%s is there from 1.%i on, before it is %i', async (call, since, status) => {
    const payload = { POST: { name: 'r4' }, PATCH: [{ op: 'remove', path: '/name' }] }[call.split(' ')[0]!];
    const { ask } = api();
    expect((await ask(call, since - 1, payload)).status).toBe(status);
    expect((await ask(call, since, payload)).status).toBeLessThan(300);
  });

  it('get 404 for changes, and change from the first version on, where the collection says nothing', async () => {
    const { tooNewToChange: _, patchSince: __, ...plain } = rackCollection().collection;
    const app = Fastify();
    app.setErrorHandler(sendRackError);
    negotiateVersions(app, RACK_VERSIONS);
    registerCollection(app, rackHost(), plain);
    const statusOf = async (method: 'POST' | 'PATCH' | 'DELETE', minor: number) => {
      const url = method === 'POST' ? '/v1/racks' : `/v1/racks/${r1.uuid}`;
      const headers = { 'x-rack-version': `1.${minor}` };
      const payload = method === 'POST' ? { name: 'r4' } : [];
      const body = method === 'DELETE' ? {} : { payload };
      return (await app.inject({ method, url, headers, ...body })).statusCode;
    };
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      expect([method, await statusOf(method, 2)]).toEqual([method, 404]);
      expect([method, await statusOf(method, 3)]).not.toEqual([method, 404]);
    }
  });
});

describe('the document', () => {
  it('has a description of every route', () => {
    expect(api().docs.map(({ method, url, doc }) => `${method} ${url}: ${doc.summary}`)).toEqual([
      'GET /v1/racks: List server racks',
      'GET /v1/racks/detail: List server racks with all their fields',
      'GET /v1/racks/:ident: Show a server rack',
      'POST /v1/racks: Create a server rack',
      'PATCH /v1/racks/:ident: Change a server rack',
      'DELETE /v1/racks/:ident: Delete a server rack',
    ]);
    expect(api({ singular: 'chassis' }).docs[0]?.doc.summary).toBe('List chassis');
  });

  it('has schemas named for the resource, and the arguments of lists', () => {
    const { docs, routes } = api();
    const [list, detail, , create, change, remove] = docs.map(({ doc }) => doc);
    expect(routes.shape['title']).toBe('ServerRack');
    expect([create?.body?.['title'], change?.body?.['title']]).toEqual([
      'ServerRackCreate',
      'ServerRackPatch',
    ]);
    expect([create?.status, change?.status, remove?.status]).toEqual([201, undefined, 204]);
    const paging = ['limit', 'marker', 'sort_key', 'sort_dir', 'in_use'];
    expect(Object.keys(list?.query ?? {})).toEqual([...paging, 'fields', 'detail']);
    expect(Object.keys(detail?.query ?? {})).toEqual(paging);
  });

  it('says of which versions other methods are hidden, too', async () => {
    const hidden: unknown[] = [];
    const app = Fastify({ exposeHeadRoutes: false });
    app.addHook('onRoute', ({ url, method, config }) => {
      if (config?.hidesPath === true) hidden.push([method, url, config.since]);
    });
    const routes = registerCollection(app, rackHost(), rackCollection({ hidesPath: true }).collection);
    expect(hidden).toEqual([
      ['GET', '/v1/racks', 3],
      ['GET', '/v1/racks/detail', 3],
      ['GET', '/v1/racks/:ident', 3],
    ]);
    registerCollection(app, rackHost(), rackCollection({ path: 'plain' }).collection);
    expect(hidden).toHaveLength(3);
    routes.listUnder('rooms/:room', 7, async () => ({}));
    expect(hidden.slice(3)).toEqual([
      ['GET', '/v1/rooms/:room/racks', 7],
      ['GET', '/v1/rooms/:room/racks/detail', 7],
    ]);
  });
});
