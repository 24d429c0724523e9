import { programVersion } from '../util/programVersion.ts'
import { shownValue } from './errors.ts'

/**
 * Error message for the version of a file of a snapshot.
 * @param found the version in the file
 * @param supported the version that this build reads
 * @param program the program that created the file, according to it
 */
export function describeVersion(found: unknown, supported: number, program: unknown): string {
  if (typeof found !== 'number' || found <= supported) {
    return `version ${supported} expected, got ${shownValue(found)}`
  }
  const maker = typeof program === 'string' ? `, made by ${program}` : ''
  return `version ${found}${maker}; this build (${programVersion()}) reads up to ${supported}: run a newer build`
}
