import { basename } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { readSources } from '../support/sources.ts'

/**
 * Files whose name is not theirs to choose: a method's is that of the method in its namespace, a command's that of the
 * command, and networks and groups of options are named after what they describe.
 */
const NAMED_AFTER: readonly RegExp[] = [
  /^rpc\/(admin|anvil|debug|eth|evm|hardhat|internal|mnr|net|personal|rpc|rsk|sco|trace|txpool|web3)\//,
  /^cli\/commands\//,
  /^config\/(networks|options)\//,
]

/** Names that say what a file is to its folder, whichever that is. */
const ROLES: readonly string[] = [
  'errors.ts',
  'interface.ts',
  'limits.ts',
  'main.ts',
  'messages.ts',
  'types.ts',
]

// The page has types of its own: what JSON-RPC answers, in a browser.
const sources = readSources('src').filter(({ path }) => !path.startsWith('page/'))

t.test('no two files of the source have the same name', (t) => {
  const chosen = sources
    .map(({ path }) => path)
    .filter((path) => !NAMED_AFTER.some((pattern) => pattern.test(path)))
    .filter((path) => !ROLES.includes(basename(path)))
  t.ok(chosen.length > 300)
  t.same(twins(chosen.map((path) => [basename(path), path])), [])
  t.end()
})

t.test('no two exported types have the same name', (t) => {
  const types = sources.flatMap(({ path, text }) => exportedTypes(text).map((name) => [name, path] as const))
  t.ok(types.length > 500)
  t.same(twins(types), [])
  t.end()
})

t.test('the rules above find what they forbid', (t) => {
  t.same(exportedTypes('export class A {}\nexport interface B {}\nexport type C = B\ninterface D {}'), [
    'A',
    'B',
    'C',
  ])
  t.same(
    twins([
      ['a', 'x'],
      ['b', 'y'],
      ['a', 'z'],
    ]),
    ['a: x, z'],
  )
  t.end()
})

/** Names of the classes, interfaces and types that a file declares and exports. */
function exportedTypes(text: string): string[] {
  return ts
    .createSourceFile('file.ts', text, ts.ScriptTarget.Latest)
    .statements.filter(
      (statement) =>
        ts.isClassDeclaration(statement) ||
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement),
    )
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .flatMap(({ name }) => (name === undefined ? [] : [name.text]))
}

/** Names that occur more than once, each with the files that have it. */
function twins(named: readonly (readonly [name: string, file: string])[]): string[] {
  const files = new Map<string, string[]>()
  for (const [name, file] of named) files.set(name, [...(files.get(name) ?? []), file])
  return [...files]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${name}: ${found.join(', ')}`)
}
