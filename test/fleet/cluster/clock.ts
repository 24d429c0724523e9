import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const LIBRARIES = '/usr/lib'

/** What has a process believe another time; null where libfaketime is not installed. */
const LIBRARY = existsSync(LIBRARIES)
  ? (readdirSync(LIBRARIES)
      .map((name) => join(LIBRARIES, name, 'faketime/libfaketimeMT.so.1'))
      .find((path) => existsSync(path)) ?? null)
  : null

/** What a process runs under for its clock to be ahead by so many seconds; null: not here. */
export function underClockAhead(seconds: number): readonly string[] | null {
  if (LIBRARY === null) return null
  return ['env', `LD_PRELOAD=${LIBRARY}`, `FAKETIME=+${seconds}s`, 'FAKETIME_DONT_FAKE_MONOTONIC=1']
}

/** What a process runs under for its clock to be beside that of the machine by what a file says; null: not here. */
export function underClock(file: string): readonly string[] | null {
  if (LIBRARY === null) return null
  const settings = ['FAKETIME_DONT_FAKE_MONOTONIC=1', 'FAKETIME_NO_CACHE=1']
  return ['env', `LD_PRELOAD=${LIBRARY}`, `FAKETIME_TIMESTAMP_FILE=${file}`, ...settings]
}
