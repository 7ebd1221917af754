/**
 * The command API (ironic-python-agent's): `/`, `/v1/`, `/v1/status`, `/v1/commands`.
 *
 * All routes but the first three need the agent token. All work with and without `/v1`.
 */
import { timingSafeEqual } from 'node:crypto';
import { TOKEN_HEADER } from '@ingot/shared/agent/boot-proof.ts';
import {
  type CommandQuery,
  type CommandRequest,
  decodeCommandQuery,
  decodeCommandRequest,
  encodeCommandList,
  encodeCommandResult,
  encodeFault,
} from '@ingot/shared/agent/command.ts';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { BootIdentity } from '../boot-trust.ts';
import { AgentError, httpFault } from '../command-error.ts';
import type { Command } from '../commands.ts';
import { VERSION } from '../version.ts';
import type { CommandLog } from './command-log.ts';
import { onlyFor, tlsOptions } from './mutual-tls.ts';

/** Enough for a config drive of 64 MiB in base64. */
export const BODY_LIMIT_BYTES = 96 * 1024 * 1024;
/** A complete request must arrive within this time. */
const REQUEST_TIMEOUT_MS = 120_000;
const MEDIA_TYPE = 'application/vnd.openstack.ironic-python-agent.v1+json';
const DOCS_URL = 'https://docs.openstack.org/ironic-python-agent/';

export interface ServerDeps {
  readonly commands: CommandLog;
  /** `extension.name` -> command. */
  readonly table: Readonly<Record<string, Command>>;
  /** null until the conductor has issued a token; until then commands are rejected. */
  readonly token: () => string | null;
  readonly startedAt: Date;
  /** The server then speaks TLS with this identity, only to the conductor with this pin; null: plain HTTP. */
  readonly trust?: Pick<BootIdentity, 'identity' | 'pin'> | null;
}

export function createServer(deps: ServerDeps): FastifyInstance {
  const { trust = null } = deps;
  const app = fastify({
    ...(trust === null ? {} : { https: tlsOptions(trust) }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { ignoreTrailingSlash: true },
    logger: false,
  }) as FastifyInstance;
  if (trust !== null) onlyFor(trust.pin, app.server);

  // Bodies are parsed as JSON whatever their content type is, as in ironic-python-agent.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));

  app.setErrorHandler((error: unknown, _, reply) => {
    const { status, body } = httpFault(error);
    return reply.code(status).send(encodeFault(body));
  });
  app.setNotFoundHandler((_, reply) =>
    reply.code(404).send(encodeFault({ side: 'Client', text: 'The requested URL was not found' })),
  );

  app.get('/', async (request) => ({
    name: 'OpenStack Ironic Python Agent API',
    description: 'Ingot agent, speaking the API of ironic-python-agent',
    versions: [version(request)],
    default_version: version(request),
  }));
  app.get('/v1', async (request) => ({
    commands: links(request, 'commands'),
    status: links(request, 'status'),
    media_types: [{ base: 'application/json', type: MEDIA_TYPE }],
    ...version(request),
  }));

  for (const prefix of ['', '/v1']) {
    app.get(`${prefix}/status`, async () => ({
      started_at: deps.startedAt.getTime() / 1000,
      version: VERSION,
    }));
    app.get(`${prefix}/commands`, { onRequest: authorize }, async () =>
      encodeCommandList(deps.commands.list()),
    );
    app.get(`${prefix}/commands/:id`, { onRequest: authorize }, getCommand);
    app.post(`${prefix}/commands`, { onRequest: authorize }, postCommand);
  }
  return app;

  /** Runs before the body is read, so that callers without the token can not use up memory. */
  async function authorize(request: FastifyRequest): Promise<void> {
    const given = Buffer.from(tokenOf(request) ?? '');
    const wanted = Buffer.from(deps.token() ?? '');
    const equal = given.length === wanted.length && timingSafeEqual(given, wanted);
    if (wanted.length === 0 || !equal)
      throw new AgentError('Unauthorized', 'agent_token is missing or wrong');
  }

  async function getCommand(request: FastifyRequest): Promise<unknown> {
    const { id } = request.params as { id: string };
    const found = await deps.commands.find(id, queryOf(request).wait);
    if (found) return encodeCommandResult(found);
    throw new AgentError('RequestedObjectNotFoundError', `Command Result with id ${id} not found.`);
  }

  async function postCommand(request: FastifyRequest): Promise<unknown> {
    const { name, params } = parseBody(request.body);
    const command = Object.hasOwn(deps.table, name) ? deps.table[name] : undefined;
    if (command === undefined) throw unknownCommand(deps.table, name);
    return encodeCommandResult(await deps.commands.start(name, command, params, queryOf(request).wait));
  }
}

/** The conductor that booted this machine sends the token in a header; Ironic's protocol has it in the query. */
function tokenOf(request: FastifyRequest): string | null {
  const header = request.headers[TOKEN_HEADER];
  return typeof header === 'string' ? header : queryOf(request).token;
}

const queryOf = (request: FastifyRequest): Required<CommandQuery> =>
  decodeCommandQuery(request.query as Readonly<Record<string, unknown>>);

const rootOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}`;

const links = (request: FastifyRequest, resource: string): unknown => [
  { href: `${rootOf(request)}/v1/${resource}`, rel: 'self' },
  { href: `${rootOf(request)}/${resource}`, rel: 'bookmark' },
];

const version = (request: FastifyRequest) => ({
  id: 'v1',
  links: [
    { href: `${rootOf(request)}/v1`, rel: 'self' },
    { href: DOCS_URL, rel: 'describedby', type: 'text/html' },
  ],
});

function parseBody(body: unknown): CommandRequest {
  const decoded = decodeCommandRequest(body);
  if (!decoded.ok) throw new AgentError('InvalidContentError', decoded.reason);
  if (!decoded.value.name.includes('.')) {
    throw new AgentError('InvalidCommandError', 'Command name must be of the form <extension>.<name>');
  }
  return decoded.value;
}

/** An unknown extension is 404; an unknown command of a known extension is 400. */
function unknownCommand(table: ServerDeps['table'], name: string): AgentError {
  const extension = name.slice(0, name.indexOf('.') + 1);
  const known = Object.keys(table).some((one) => one.startsWith(extension));
  return known
    ? new AgentError('InvalidCommandError', `Unknown command: ${name}`)
    : new AgentError(
        'RequestedObjectNotFoundError',
        `Extension with id ${extension.slice(0, -1)} not found.`,
      );
}
