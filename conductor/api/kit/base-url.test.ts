import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { baseUrlOf } from './base-url.ts';

it('links begin with the public endpoint, or else as the request was sent', () => {
  const request = { protocol: 'http', host: 'api:6385' } as FastifyRequest;
  expect(baseUrlOf(request, 'https://public')).toBe('https://public');
  expect(baseUrlOf(request, null)).toBe('http://api:6385');
});
