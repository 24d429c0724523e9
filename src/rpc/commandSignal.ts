/** The sign that nobody waits any more: a signal, or what stands for one of another thread. */
export type CommandSignal = Pick<AbortSignal, 'aborted'>
