import type { Test } from 'tap'
import { VECTORS_FOLDER } from '../support/vectors.ts'
import { type FileResult, type FoundFile, findVectorFiles, formatResult, runVectors } from './run.ts'

/** One test per recorded file of the wanted kinds, so that a difference names its file. */
export function testRecorded(t: Test, isWanted: (kind: FoundFile['kind']) => boolean): void {
  for (const { file, name, kind } of findVectorFiles(VECTORS_FOLDER)) {
    if (!isWanted(kind)) continue
    t.test(name, async (t) => {
      const [result] = await runVectors([file])
      if (result?.leftAlone === null) t.ok(result.comparison.equal > 0, 'something was compared')
      t.equal(result?.comparison.different, 0, describeResult(result))
    })
  }
}

/** What a test says of a result. */
export function describeResult(result: FileResult | undefined): string {
  return result === undefined ? 'no result' : formatResult(result)
}
