/** Placeholder for a secret in output that others may read. */
export const HIDDEN = '[hidden]'
