import t from 'tap'
import { VECTORS_FOLDER } from '../support/vectors.ts'
import { type FileResult, findVectorFiles, formatResult, runVectors } from './run.ts'

// One test per file, so that a difference names its file.
for (const { file, name } of findVectorFiles(VECTORS_FOLDER)) {
  t.test(name, async (t) => {
    const [result] = await runVectors([file])
    t.ok(result !== undefined && result.comparison.equal > 0, 'something was compared')
    t.equal(result?.comparison.different, 0, describe(result))
  })
}

t.test('a folder without vectors gives nothing', async (t) => {
  t.same(await runVectors([t.testdir({ 'notes.txt': 'nothing' })]), [])
})

function describe(result: FileResult | undefined): string {
  return result === undefined ? 'no result' : formatResult(result)
}
