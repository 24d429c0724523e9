import { statSync } from 'node:fs'
import type { TlsFiles } from './tls.ts'

/** Milliseconds between two looks at the files: also where a volume reports no changes. */
const PERIOD_MILLISECONDS = 2000

/**
 * Calls back after one of the files changed. The two files are usually replaced one after the other, so they may not
 * match after the first change. Call it before reading the files, so that no change is missed.
 * @returns what ends the watching
 */
export function watchTlsFiles(
  { certificate, key }: TlsFiles,
  onChange: () => void,
  period: number = PERIOD_MILLISECONDS,
): () => void {
  const stamp = () => `${stampOf(certificate)} ${stampOf(key)}`
  let seen = stamp()
  const look = setInterval(() => {
    const now = stamp()
    if (now === seen) return
    seen = now
    onChange()
  }, period)
  look.unref()
  return () => clearInterval(look)
}

/** Changes with the file; empty when it cannot be looked at, which reading it then says why. */
function stampOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    return ''
  }
}
