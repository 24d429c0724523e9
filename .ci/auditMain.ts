// Looks at everything that is fetched from registries, by the lock files alone, then asks the databases of known
// faults where they can be reached: npm run --silent ts -- .ci/auditMain.ts [--strict]
// What those databases know changes without a change of this repository, and fails the run with --strict only.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Crate,
  faultsOfCargoLock,
  faultsOfCrates,
  faultsOfPackages,
  type LockedPackage,
  uncheckedPackages,
} from './audit.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Milliseconds: a registry that is not there may swallow what it is asked. */
const DATABASE_TIMEOUT = 20_000
const CARGO_LOCKS = ['native/Cargo.lock', 'native/fuzz/Cargo.lock']

/** Output of a program; null when it cannot be run, or not within so many milliseconds. */
function output(
  program: string,
  words: readonly string[],
  timeout?: number,
): { status: number; stdout: string } | null {
  const { status, stdout, error } = spawnSync(program, words, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    killSignal: 'SIGKILL',
    ...(timeout !== undefined && { timeout }),
  })
  return error === undefined ? { status: status ?? 1, stdout } : null
}

function crates(): readonly Crate[] {
  const words = ['metadata', '--manifest-path', 'native/Cargo.toml', '--format-version', '1', '--locked']
  const found = output('cargo', words)
  if (found === null || found.status !== 0) throw new Error('cargo metadata failed')
  return (JSON.parse(found.stdout) as { packages: readonly Crate[] }).packages
}

function parsed(text: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '') as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Faults of delivered packages that npm's database knows; null when it does not answer. */
function knownOfNpm(): number | null {
  const answer = parsed(
    output('npm', ['audit', '--json', '--omit=dev', '--fetch-retries=0'], DATABASE_TIMEOUT)?.stdout,
  )
  const counts = (answer['metadata'] as { vulnerabilities?: Record<string, number> } | undefined)
    ?.vulnerabilities
  if (counts === undefined) return null
  return (counts['high'] ?? 0) + (counts['critical'] ?? 0)
}

/** Faults that the RustSec database knows; null when there is no cargo-audit, or no database. */
function knownOfCargo(): number | null {
  const answer = parsed(
    output('cargo', ['audit', '--json', '--file', 'native/Cargo.lock'], DATABASE_TIMEOUT)?.stdout,
  )
  return (answer['vulnerabilities'] as { count?: number } | undefined)?.count ?? null
}

const isStrict = process.argv.includes('--strict')
const lock = JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const cargo = crates()
const faults = [
  ...faultsOfPackages(lock.packages),
  ...faultsOfCrates(cargo),
  ...CARGO_LOCKS.flatMap((path) =>
    faultsOfCargoLock(readFileSync(`${ROOT}/${path}`, 'utf8')).map((fault) => `${path}: ${fault}`),
  ),
]
const unchecked = uncheckedPackages(lock.packages).length
print(
  `${Object.keys(lock.packages).length - 1} npm packages (${unchecked} of other platforms without integrity), ${cargo.length} crates: ${faults.length} faults`,
)
for (const fault of faults) print(`  ${fault}`)
let known = 0
for (const [name, count] of [
  ['npm audit', knownOfNpm()],
  ['cargo audit', knownOfCargo()],
] as const) {
  print(count === null ? `${name}: not reachable, nothing was asked` : `${name}: ${count} known faults`)
  known += count ?? 0
}
process.exitCode = faults.length + (isStrict ? known : 0) === 0 ? 0 : 1
