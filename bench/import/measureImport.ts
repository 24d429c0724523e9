import { readFileSync } from 'node:fs'
import { runImport } from './runImport.ts'

/** Result of one import. */
export interface ImportStats {
  readonly blocks: number
  readonly transactions: number
  readonly gas: number
  /** Without opening the stores; the last commit is included. */
  readonly seconds: number
  /** Processor time of the process, seconds, all threads. */
  readonly processorSeconds: number
  /** Peak resident memory of the process, MiB, including mapped pages of the stores' files. */
  readonly memoryMiB: number
  /** Memory at the end without mapped files, MiB. */
  readonly ownMemoryMiB: number
  /** Growth of both stores, bytes. */
  readonly chainBytes: number
  readonly stateBytes: number
}

/**
 * Imports a file into a new data directory with the defaults of the command line, except what is given. Meant to
 * have a process to itself.
 */
export async function measureImport(
  file: string,
  dataDir: string,
  commitEvery: number,
): Promise<ImportStats> {
  const { report, seconds, processorSeconds, storesBefore, stores } = await runImport(file, dataDir, {
    commitEvery,
  })
  return {
    blocks: report.connected,
    transactions: report.transactions,
    gas: Number(report.gas),
    seconds,
    processorSeconds,
    memoryMiB: memoryFigure('VmHWM'),
    ownMemoryMiB: memoryFigure('RssAnon'),
    chainBytes: stores.chain - storesBefore.chain,
    stateBytes: stores.state - storesBefore.state,
  }
}

/** A line of the process's status, MiB. The maximum of getrusage is that of the parent if it was larger. */
function memoryFigure(name: 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
}
