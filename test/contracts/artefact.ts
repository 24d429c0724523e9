import { readFileSync } from 'node:fs'
import { ARTEFACTS_FOLDER, type Artefact } from './compile.ts'

/** The committed artefact of a contract. */
export function readArtefact(
  contract: 'Token' | 'Failures' | 'Archive' | 'Compute' | 'Noisy' | 'Spread' | 'Oracle' | 'Loans' | 'Stable',
): Artefact {
  return JSON.parse(readFileSync(`${ARTEFACTS_FOLDER}${contract}.json`, 'utf8')) as Artefact
}
