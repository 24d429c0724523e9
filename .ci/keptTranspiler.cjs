/**
 * Transpiles TypeScript for `npm run coverage` as tap does by itself, and keeps what comes of it, as `loaderHooks.mjs`
 * does: every thread of a program that runs from its sources has a loader of its own, which would transpile all of it
 * again.
 *
 * Kept are files in `node_modules/.cache`, named by the hash of all that the output depends on; they may be removed
 * at any time.
 */
'use strict'

const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const FOLDER = join(__dirname, '..', 'node_modules', '.cache', 'transpiled')
/** Module of the loader that reads the type of a package as Node does. */
const MODULE = join(
  dirname(require.resolve('@isaacs/ts-node-temp-fork-for-pr-2009/package.json')),
  'dist/ts-transpile-module.js',
)

/**
 * What the loader asks for.
 * @param {{ service: { config: { options: import('typescript').CompilerOptions } }, nodeModuleEmitKind?: string }} given
 */
exports.create = ({ service, nodeModuleEmitKind }) => {
  const compilerOptions = service.config.options
  const ts = /** @type {typeof import('typescript')} */ (require('typescript'))
  const about = JSON.stringify([ts.version, compilerOptions, nodeModuleEmitKind ?? null])
  /** @type {((code: string, options: object, kind: string) => import('typescript').TranspileOutput) | undefined} */
  let transpile
  return {
    /**
     * @param {string} code
     * @param {{ fileName: string }} options
     */
    transpile: (code, { fileName }) =>
      keptOutput(about, fileName, code, () => {
        transpile ??= require(MODULE).createTsTranspileModule(ts, {
          compilerOptions,
          reportDiagnostics: true,
        })
        return transpile(code, { fileName }, nodeModuleEmitKind === 'nodeesm' ? 'module' : 'commonjs')
      }),
  }
}

/**
 * What comes of a file, kept from before where it can be.
 * @param {string} about all that the output depends on beside the file
 * @param {string} fileName
 * @param {string} code
 * @param {(code: string, fileName: string) => import('typescript').TranspileOutput} transpile
 * @returns {import('typescript').TranspileOutput}
 */
function keptOutput(about, fileName, code, transpile) {
  const name = createHash('sha256')
    .update(JSON.stringify([about, fileName, code]))
    .digest('hex')
  const path = join(FOLDER, name.slice(0, 2), `${name.slice(2)}.json`)
  const kept = read(path)
  if (kept !== undefined) return kept
  const made = transpile(code, fileName)
  const { outputText, sourceMapText, diagnostics } = made
  if ((diagnostics ?? []).length === 0) keep(path, { outputText, sourceMapText })
  return made
}
exports.keptOutput = keptOutput

/** @param {string} path */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Others read and write the same file: it appears whole. Where nothing can be written, nothing is kept.
 * @param {string} path
 * @param {{ outputText: string, sourceMapText: string | undefined }} output
 */
function keep(path, output) {
  const part = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(part, JSON.stringify(output))
    renameSync(part, path)
  } catch {
    return
  }
}
