/** Stands in place of a secret where others may read along. */
export const HIDDEN = '[hidden]'
