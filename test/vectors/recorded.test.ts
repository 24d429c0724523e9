import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readText } from '../support/jsonLines.ts'
import { VECTORS_FOLDER } from '../support/vectors.ts'
import { type FileResult, findVectorFiles, formatResult, runVectors } from './run.ts'

/** The folder of the repository, also where RHIZOME_VECTORS names another. */
const COMMITTED = fileURLToPath(new URL('recorded', import.meta.url))

t.test('every committed file has all of its lines', (t) => {
  const lines = JSON.parse(readFileSync(join(COMMITTED, 'lines.json'), 'utf8')) as Record<string, number>
  const files = readdirSync(COMMITTED, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.zst'),
  )
  const found = files.map((name) => [name, readText(join(COMMITTED, name)).match(/\S.*$/gm)?.length ?? 0])
  t.same(Object.fromEntries(found), lines)
  t.end()
})

// One test per file, so that a difference names its file.
for (const { file, name } of findVectorFiles(VECTORS_FOLDER)) {
  t.test(name, async (t) => {
    const [result] = await runVectors([file])
    if (result?.leftAlone === null) t.ok(result.comparison.equal > 0, 'something was compared')
    t.equal(result?.comparison.different, 0, describe(result))
  })
}

function describe(result: FileResult | undefined): string {
  return result === undefined ? 'no result' : formatResult(result)
}
