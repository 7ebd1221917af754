/**
 * A program that answers HTTP on port 80 of all addresses of its host, and DNS on port 53 if there are names. It prints
 * one JSON line when it is ready and one for each request. Run: node trap-server.ts '{"names": {...}}'
 *
 *   GET /go?to=URL     redirects to the URL
 *   GET anything else  an image
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';

/** Addresses by name; each query gets the next list, the last one again and again. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

const IMAGE_BYTES = 1_048_576;
const { names = {} } = JSON.parse(process.argv[2] ?? '{}') as { names?: Names };
const image = Buffer.alloc(IMAGE_BYTES);
image.write('The secret of the trap.', 1024);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const http = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://host');
  const to = url.searchParams.get('to');
  say({
    http: request.url,
    host: request.headers.host,
    authorization: request.headers.authorization ?? null,
  });
  if (url.pathname === '/go' && to !== null) response.writeHead(302, { location: to }).end();
  else response.writeHead(200, { 'content-length': image.length }).end(image);
});
http.listen(80, '::', () => {
  if (Object.keys(names).length === 0) say({ ready: true });
  else dns.bind(53, () => say({ ready: true }));
});

const queries = new Map<string, number>();
const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };

/** RFC 1035 section 4. One question; the answer has a TTL of 0. */
const dns = createSocket('udp4', (query, from) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  const type = TYPES[query.readUInt16BE(at + 1)];
  const question = query.subarray(12, at + 5);
  const lists = type === undefined ? undefined : names[name];
  const count = queries.get(`${name} ${type}`) ?? 0;
  queries.set(`${name} ${type}`, count + 1);
  const list = lists?.[Math.min(count, lists.length - 1)] ?? [];
  const records = list.filter((address) => (address.includes(':') ? 'AAAA' : 'A') === type).map(recordOf);
  say({ dns: name, type, answer: list });
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(lists === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  dns.send(Buffer.concat([header, question, ...records]), from.port, from.address);
});

function recordOf(address: string): Buffer {
  const isV6 = address.includes(':');
  const data = isV6 ? v6Bytes(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(isV6 ? 28 : 1, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Written out in eight groups, without `::`. */
const v6Bytes = (address: string): Buffer =>
  Buffer.from(
    address
      .split(':')
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
