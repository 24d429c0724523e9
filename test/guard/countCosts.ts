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
  const [calls, bytes] = await Promise.all([
    run<Record<string, Cost>>('calls', []),
    run<Record<string, Bytes>>('bytes', BYTES_FLAGS),
  ])
  return Object.fromEntries(
    Object.entries(calls).map(([row, cost]): [string, RequestCost] => [
      row,
      { ...cost, ...(bytes[row] ?? { heap: Number.NaN, buffers: Number.NaN }) },
    ]),
  )
}

function run<T>(what: string, flags: readonly string[]): Promise<T> {
  const args = [...flags, '--import', LOADER, join(ROOT, 'test/guard/countMain.ts'), what]
  const child = spawn(process.execPath, args, {
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
