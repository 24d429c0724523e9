import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SHARED_FEATURES } from '../../../native/sharedFeatures.mjs'
import { COMPRESSED_ENDING, readText } from '../../support/jsonLines.ts'
import type { Comparison } from '../comparison.ts'

const MANIFEST = fileURLToPath(new URL('../../../native/Cargo.toml', import.meta.url))
const PACKAGE = 'rhizome-bridge-vectors'
const PROGRAM = 'bridge-vectors'

/** The one compression that the program reads. */
const READ_BY_PROGRAM = /\.zst$/

/** A line that the program prints: a value that differs, or at the end the counts of the file. */
type Printed =
  | { case: number; name: string; what: string; expected: string; found: string }
  | { equal: number; different: number }

let building: Promise<string> | undefined

/** bridge-*.jsonl: run by a program of the native workspace, which is built first. */
export async function compareBridge(path: string, comparison: Comparison): Promise<void> {
  building ??= buildProgram()
  const program = await building
  const plain = COMPRESSED_ENDING.test(path) && !READ_BY_PROGRAM.test(path)
  const folder = plain ? await mkdtemp(join(tmpdir(), 'rhizome-bridge-vectors-')) : null
  try {
    await runProgram(program, folder === null ? path : await unpackInto(folder, path), comparison)
  } finally {
    if (folder !== null) await rm(folder, { recursive: true })
  }
}

async function unpackInto(folder: string, path: string): Promise<string> {
  const unpacked = join(folder, basename(path).replace(COMPRESSED_ENDING, ''))
  await writeFile(unpacked, readText(path))
  return unpacked
}

/** @throws Error when the program ends without the counts of the file. */
async function runProgram(program: string, path: string, comparison: Comparison): Promise<void> {
  const cases = new Map<number, Exclude<Printed, { equal: number }>[]>()
  let counts: Extract<Printed, { equal: number }> | undefined
  const failure = await run(program, [path], (line) => {
    const printed = JSON.parse(line) as Printed
    if ('equal' in printed) counts = printed
    else cases.set(printed.case, [...(cases.get(printed.case) ?? []), printed])
  })
  if (counts === undefined) throw new Error(`${program} ended early: ${failure}`)
  comparison.addEqual(counts.equal)
  for (const differences of cases.values()) {
    comparison.case(differences[0]?.name ?? '', (values) => {
      for (const { what, expected, found } of differences) values.differ(what, expected, found)
    })
  }
  if (comparison.different !== counts.different) {
    throw new Error(`${program} counts ${counts.different} cases, and names ${comparison.different}`)
  }
}

/** Builds the program in the profile and with the features of `cargo test`, so that one build serves both. @returns its path */
async function buildProgram(): Promise<string> {
  const profile = process.env['RHIZOME_NATIVE_PROFILE']
  const options = ['build', '--quiet', '--message-format=json', '--manifest-path', MANIFEST]
  if (profile !== undefined && profile !== '') options.push('--profile', profile)
  options.push('--package', PACKAGE, ...SHARED_FEATURES, '--bin', PROGRAM)
  let executable: string | null = null
  const failure = await run('cargo', options, (line) => {
    const message = JSON.parse(line) as { executable?: string | null; message?: { rendered?: string } }
    if (typeof message.executable === 'string') executable = message.executable
  })
  if (executable === null) throw new Error(`cargo built no ${PROGRAM}: ${failure}`)
  return executable
}

/** Runs a command and hands over the lines that it prints. @returns what it printed on its error output */
function run(command: string, options: readonly string[], onLine: (line: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, options, { stdio: ['ignore', 'pipe', 'pipe'] })
    const errors: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    createInterface({ input: child.stdout }).on('line', (line) => {
      try {
        onLine(line)
      } catch (error) {
        child.kill()
        reject(error)
      }
    })
    child.on('error', reject)
    child.on('close', () => resolve(Buffer.concat(errors).toString('utf8').trim()))
  })
}
