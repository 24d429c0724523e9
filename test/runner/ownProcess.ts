import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LOADER, ROOT } from '../support/sources.ts'
import type { FileResult } from './fileResult.ts'
import type { TestFile } from './testFiles.ts'

/** Time of a file, milliseconds: the slowest ones take minutes where others use the machine, too. */
export const TIMEOUT = 600_000
/** What a process that is out of time may take to say what it waits for, milliseconds. */
const LAST_WORDS = 5000
/** For `t.mockImport`, in a file that has it: it looks at every import. */
const MOCKS = ['--import', import.meta.resolve('@tapjs/mock/import')]
const PROCESSOR_TIME = new URL('processorTime.mjs', import.meta.url).href

/** The environment of a test's process: settings of tap, and nothing that a tap around this one put there. */
export function testEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...own } = process.env
  return { ...own, TAP: '1', TAP_CHILD_ID: '1', TAP_TIMEOUT: String(TIMEOUT / 1000), ...more }
}

/** Runs a test file in a process of its own. */
export async function runInOwnProcess(file: TestFile, environment: NodeJS.ProcessEnv): Promise<FileResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-test-'))
  const timeFile = join(folder, 'processor')
  const options = ['--enable-source-maps', '--import', LOADER, '--import', PROCESSOR_TIME]
  if (file.mocks) options.push(...MOCKS)
  const began = performance.now()
  const child = spawn(process.execPath, [...options, join(ROOT, file.path)], {
    cwd: ROOT,
    env: testEnvironment({ ...environment, RHIZOME_PROCESSOR_TIME: timeFile }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', (bytes: Buffer) => output.push(bytes))
  const inTime = endInTime(child)
  const failure = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(failureOf(code, signal)))
  })
  const isOutOfTime = inTime()
  const processor = Number(readIfThere(timeFile) ?? Number.NaN)
  rmSync(folder, { recursive: true, force: true })
  return {
    path: file.path,
    output: Buffer.concat(output).toString('utf8'),
    failure: isOutOfTime ? `no end within ${TIMEOUT / 1000} s` : failure,
    wallSeconds: (performance.now() - began) / 1000,
    processorSeconds: Number.isNaN(processor) ? null : processor,
  }
}

/** Why a process did not end as it should, of its exit code and signal. */
export function failureOf(code: number | null, signal: NodeJS.Signals | null): string | null {
  if (signal !== null) return `signal ${signal}`
  return code === 0 ? null : `exit code ${code}`
}

/** Ends a process that takes too long. @returns what stops the clock, and says whether it had run out */
function endInTime(child: ChildProcess): () => boolean {
  const stop = new AbortController()
  let isOver = false
  const watch = async () => {
    await sleep(TIMEOUT, undefined, { signal: stop.signal })
    isOver = true
    // Tap says what is unfinished.
    child.kill('SIGALRM')
    await sleep(LAST_WORDS, undefined, { signal: stop.signal })
    child.kill('SIGKILL')
  }
  void watch().catch(() => {})
  return () => {
    stop.abort()
    return isOver
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
