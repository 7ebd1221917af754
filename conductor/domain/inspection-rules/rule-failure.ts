/** An inspection rule can not be applied; the message says why. */
export class RuleFailure extends Error {}
