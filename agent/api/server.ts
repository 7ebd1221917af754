/**
 * The command API (ironic-python-agent's, features D.1): `/`, `/v1/`, `/v1/status`, `/v1/commands`.
 *
 * Every route but the first three needs the agent token. All work with and without `/v1`.
 */
import { timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { COMMANDS } from '../commands.ts';
import { VERSION } from '../version.ts';
import { Busy, type CommandLog } from './command-log.ts';

/** A config drive of 64 MiB in base64, and what stands around it. */
const BODY_LIMIT = 96 * 1024 * 1024;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export interface ServerDeps {
  readonly commands: CommandLog;
  /** null as long as the conductor has not given one: then nobody may command. */
  readonly token: () => string | null;
  readonly startedAt: Date;
}

export function createServer(deps: ServerDeps): FastifyInstance {
  const app = fastify({ bodyLimit: BODY_LIMIT, routerOptions: { ignoreTrailingSlash: true }, logger: false });

  app.setErrorHandler((error: unknown, _, reply) => {
    const status =
      error instanceof Refusal ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
    const text = error instanceof Error ? error.message : String(error);
    return reply.code(status).send({ faultcode: status < 500 ? 'Client' : 'Server', faultstring: text });
  });
  app.setNotFoundHandler((_, reply) =>
    reply.code(404).send({ faultcode: 'Client', faultstring: 'Not found' }),
  );

  const link = (request: FastifyRequest, path: string): string =>
    `${request.protocol}://${request.host}${path}`;
  const version = (request: FastifyRequest) => ({
    id: 'v1',
    links: [{ href: link(request, '/v1/'), rel: 'self' }],
  });

  app.get('/', async (request) => ({
    name: 'OpenStack Ironic Python Agent API',
    description: 'Ingot agent, speaking the API of ironic-python-agent',
    versions: [version(request)],
    default_version: version(request),
  }));
  app.get('/v1', async (request) => ({
    commands: [{ href: link(request, '/v1/commands/'), rel: 'self' }],
    status: [{ href: link(request, '/v1/status/'), rel: 'self' }],
    media_types: [
      { base: 'application/json', type: 'application/vnd.openstack.ironic-python-agent.v1+json' },
    ],
  }));

  for (const prefix of ['', '/v1']) {
    app.get(`${prefix}/status`, async () => ({ started_at: deps.startedAt.toISOString(), version: VERSION }));
    app.get(`${prefix}/commands`, { onRequest: authorize }, async () => ({ commands: deps.commands.list() }));
    app.get(`${prefix}/commands/:id`, { onRequest: authorize }, getCommand);
    app.post(`${prefix}/commands`, { onRequest: authorize }, postCommand);
  }
  return app;

  async function authorize(request: FastifyRequest): Promise<void> {
    const given = Buffer.from(String((request.query as Record<string, unknown>)['agent_token'] ?? ''));
    const wanted = Buffer.from(deps.token() ?? '');
    const equal = given.length === wanted.length && timingSafeEqual(given, wanted);
    if (wanted.length === 0 || !equal) throw new Refusal(401, 'agent_token is missing or wrong');
  }

  async function getCommand(request: FastifyRequest): Promise<unknown> {
    const { id } = request.params as { id: string };
    const found = await deps.commands.find(id, waits(request));
    if (found) return found;
    throw new Refusal(404, `Command ${id} not found`);
  }

  async function postCommand(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { name, params } = parseBody(request.body);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw unknownCommand(name);
    try {
      return await deps.commands.start(name, command, params, waits(request));
    } catch (error) {
      if (error instanceof Busy)
        return reply.code(409).send({ faultcode: 'Client', faultstring: error.message });
      throw error;
    }
  }
}

const waits = (request: FastifyRequest): boolean =>
  String((request.query as Record<string, unknown>)['wait'] ?? 'false').toLowerCase() === 'true';

function parseBody(body: unknown): { name: string; params: Record<string, unknown> } {
  const { name, params } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const complete =
    typeof name === 'string' &&
    name.includes('.') &&
    typeof params === 'object' &&
    params !== null &&
    !Array.isArray(params);
  if (!complete) throw new Refusal(400, 'a command needs a name like "standby.sync" and params, an object');
  return { name, params: params as Record<string, unknown> };
}

/** An unknown extension is not there; an unknown command of one that is there is a wrong request. */
function unknownCommand(name: string): Refusal {
  const extension = name.slice(0, name.indexOf('.') + 1);
  const known = Object.keys(COMMANDS).some((one) => one.startsWith(extension));
  return known
    ? new Refusal(400, `Unknown command: ${name}`)
    : new Refusal(404, `Extension ${extension.slice(0, -1)} not found`);
}
