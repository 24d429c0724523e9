import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { testEnvironment } from '../runner/ownProcess.ts'
import { LOADER, ROOT } from '../support/sources.ts'
import type { Costs, RequestCost } from './costTable.ts'
import type { Bytes, Cost } from './counting.ts'

/**
 * Options under which bytes are measured: young objects stay where they are, and no other thread of V8 does at the same
 * time what takes another moment in each run.
 */
const BYTES_FLAGS: readonly string[] = [
  '--expose-gc',
  '--allow-natives-syntax',
  '--always-sparkplug',
  '--single-threaded',
  '--no-allocation-site-pretenuring',
  '--no-incremental-marking',
  '--initial-old-space-size=1024',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
]

/** Counts what light requests cost, in processes of their own. @throws Error when one of them fails */
export async function countCosts(): Promise<Costs> {
  const program = join(ROOT, 'test/guard/countMain.ts')
  const [calls, bytes] = await Promise.all([
    runCount<Record<string, Cost>>(program, 'calls'),
    runCount<Record<string, Bytes>>(program, 'bytes'),
  ])
  return Object.fromEntries(
    Object.entries(calls).map(([row, cost]): [string, RequestCost] => [
      row,
      { ...cost, ...(bytes[row] ?? { heap: Number.NaN, buffers: Number.NaN }) },
    ]),
  )
}

/** Runs a program that counts, in a process of its own; what it says. @throws Error when it fails */
export function runCount<T>(program: string, what: 'calls' | 'bytes' | 'time'): Promise<T> {
  const flags = what === 'bytes' ? BYTES_FLAGS : []
  const child = spawn(process.execPath, [...flags, '--import', LOADER, program, what], {
    env: testEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => output.push(part))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(output).toString('utf8')) as T)
      else reject(new Error(`counting ${what} ended with ${code}`))
    })
  })
}
