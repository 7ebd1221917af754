/** Where the domain's services write what an operator may want to read: a part of pino's interface. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
