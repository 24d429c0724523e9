/**
 * The file a worker thread starts from, next to the module that names it: the TypeScript source in a
 * checkout that runs under a loader (tests), the compiled JavaScript otherwise.
 *
 * @param relative path with the source's ending, e.g. `./worker.ts`
 * @param moduleUrl `import.meta.url` of the calling module
 *
 * @example
 * new Worker(workerEntry('./thread.ts', import.meta.url))
 */
export function workerEntry(relative: string, moduleUrl: string): URL {
  const compiled = new URL(moduleUrl).pathname.endsWith('.js')
  return new URL(compiled ? relative.replace(/\.ts$/, '.js') : relative, moduleUrl)
}

/**
 * Options of a worker thread of the same module: a checkout that runs under a loader passes it on, while compiled
 * threads must not load what belongs to a process that uses Rhizome as a library.
 *
 * @param moduleUrl `import.meta.url` of the calling module
 */
export function workerOptions(moduleUrl: string): { readonly execArgv?: string[] } {
  return new URL(moduleUrl).pathname.endsWith('.js') ? { execArgv: [] } : {}
}
