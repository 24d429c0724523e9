import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const { keptOutput } = /** @type {typeof import('./keptTranspiler.cjs')} */ (require('./keptTranspiler.cjs'))

const CONFIG = fileURLToPath(new URL('../tsconfig.json', import.meta.url))
const about = JSON.stringify([
  'loader',
  require('typescript/package.json').version,
  readFileSync(CONFIG, 'utf8'),
])

/** Only loaded for a file that is not kept: it takes longer to read than most programs to run. */
const compiler = () => /** @type {typeof import('typescript')} */ (require('typescript'))

/**
 * Sources are modules, whose imports have the names of files; anything else is left to Node.
 * @type {import('node:module').LoadHook}
 */
export async function load(url, context, next) {
  // A mocked import has a query.
  if (!/^file:[^?]*\.ts(\?|$)/.test(url)) return next(url, context)
  const path = fileURLToPath(url)
  const { outputText } = keptOutput(about, path, readFileSync(path, 'utf8'), transpile)
  return { format: 'module', source: outputText, shortCircuit: true }
}

/**
 * @param {string} code
 * @param {string} fileName
 */
function transpile(code, fileName) {
  const ts = compiler()
  const { options } = ts.convertCompilerOptionsFromJson(
    ts.readConfigFile(CONFIG, ts.sys.readFile).config.compilerOptions,
    '.',
  )
  const { ESNext } = ts.ModuleKind
  const { Bundler } = ts.ModuleResolutionKind
  // Each resolution has modules of its own: with another one every output would have a diagnostic, and not be kept.
  const compilerOptions = { ...options, module: ESNext, moduleResolution: Bundler, inlineSourceMap: true }
  return ts.transpileModule(code, { fileName, compilerOptions, reportDiagnostics: true })
}
