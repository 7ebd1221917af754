/**
 * Errors of the façade: the kit decides status and text, the service the form of the body.
 */
import { type ErrorSender, errorSender, RouterError } from '../kit/errors.ts';
import type { CloudService } from './cloud-service.ts';

const CODES: Readonly<Record<number, string>> = { 404: 'notFound', 406: 'notAcceptable' };

export const errorsOf = (service: Pick<CloudService, 'errorBody'>): ErrorSender =>
  errorSender({
    application: (status, text, code, error) => service.errorBody(status, text, code, error),
    router: (status, text) => service.errorBody(status, text, CODES[status] ?? 'invalidParameter'),
  });

/** The error for a path, or a method of a path, that no service has. */
export const missingRoute = (method: string, path: string): RouterError =>
  new RouterError(404, `There is no ${method} ${path}.`);
