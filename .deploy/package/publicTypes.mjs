// Which declarations the public entry of the compiled package needs.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const IMPORT = /(?:from |import\()['"](\.[^'"]+)['"]/g

/**
 * Declarations that one refers to, itself included, as paths in the folder.
 * @param {string} folder of the compiled sources
 * @param {string} entry path in the folder, e.g. `library/developmentNode.d.ts`
 * @returns {Set<string>}
 */
export function reachableDeclarations(folder, entry) {
  const found = new Set([entry])
  for (const path of found) {
    const text = readFileSync(join(folder, path), 'utf8')
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      found.add(normalize(join(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'))))
    }
  }
  return found
}
