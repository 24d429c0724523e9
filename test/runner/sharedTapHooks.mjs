// In a process that runs several test files each of them gets a test of its own by `import t from 'tap'`.
const SCHEME = 'tap-of:'

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  const { parentURL } = context
  return specifier === 'tap' && parentURL?.endsWith('.test.ts')
    ? { url: `${SCHEME}${parentURL}`, shortCircuit: true }
    : next(specifier, context)
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith(SCHEME)) return next(url, context)
  const file = JSON.stringify(url.slice(SCHEME.length))
  return {
    format: 'module',
    source: `export default globalThis[Symbol.for('rhizome.tests')].get(${file})`,
    shortCircuit: true,
  }
}
