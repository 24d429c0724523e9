import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ROOT } from '../support/sources.ts'
import { OWN_PROCESS, WAITING } from './queues.ts'

/** Where a test file runs: `shared` in a process with others, one after the other, `own` in one that starts for it. */
export type Place = 'shared' | 'own'

/** A test file, and how it is run. */
export interface TestFile {
  /** Below the root, with forward slashes. */
  readonly path: string
  readonly process: Place
  /** It calls `t.mockImport`, whose hooks look at every import. */
  readonly mocks: boolean
  /** It waits more than it computes. */
  readonly waits: boolean
}

/** What is named is not there. */
export class NoTestFile extends Error {}

const CHANGES_PROCESS =
  /\bt\.mock\w+|\bt\.(intercept|capture)\((process|globalThis)\b|\bprocess\.(exit|chdir|on|once|umask|exitCode|memoryUsage|resourceUsage|getActiveResourcesInfo)\b|\bprocess\.env\b[^=\n]*[^=!]=[^=>]|\bdelete process\.env\b|\bglobal(This)?\.gc\b|\bsetFlagsFromString\b/

/** The paths of test files below a folder of the root, or the file itself. @throws NoTestFile */
export function findTestFiles(path: string): string[] {
  const whole = join(ROOT, path)
  const found = statSync(whole, { throwIfNoEntry: false })
  if (found === undefined) throw new NoTestFile(`there is no ${path} below ${ROOT}`)
  if (!found.isDirectory()) return [path]
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => relative(ROOT, join(whole, name)).split(sep).join('/'))
    .sort()
}

/** Whether a file changes the process that it runs in, or looks at what is in it, by its text. */
export function changesProcess(text: string): boolean {
  return CHANGES_PROCESS.test(text)
}

/** Reads how a file is to be run. */
export function describeTestFile(path: string): TestFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const isUnit = path.startsWith('test/unit/')
  return {
    path,
    process: isUnit && !OWN_PROCESS.has(path) && !changesProcess(text) ? 'shared' : 'own',
    mocks: text.includes('t.mockImport'),
    waits: WAITING.has(path),
  }
}
