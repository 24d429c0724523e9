import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { nativeBuild } from '../../src/native/buildInfo.ts'

/** Environment of a measurement. */
export interface Machine {
  readonly date: string
  readonly processor: string
  readonly processors: number
  readonly memoryGiB: number
  readonly kernel: string
  readonly node: string
  readonly commit: string
  /** Whether the addon has the release profile; a development build says nothing about speed. */
  readonly releaseBuild: boolean
  /** Load average of the last minute before the measurement: above 1 the results are disturbed. */
  readonly load: number
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Describes this machine and this checkout. */
export function describeMachine(): Machine {
  const processors = cpus()
  return {
    date: new Date().toISOString().slice(0, 16),
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: commit(),
    releaseBuild: isReleaseBuild(),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

/** One line for readers. */
export function machineText(machine: Machine): string {
  const build = machine.releaseBuild ? 'release build' : '**development build: no figure for comparison**'
  return (
    `${machine.date} UTC, ${machine.processors} × ${machine.processor}, ${machine.memoryGiB} GiB, ` +
    `Linux ${machine.kernel}, Node ${machine.node}, commit ${machine.commit}, ${build}, load before ${machine.load}`
  )
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: ROOT, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** Whether the addon in use has the release profile. */
function isReleaseBuild(): boolean {
  try {
    return nativeBuild().profile === 'release'
  } catch {
    return false
  }
}
