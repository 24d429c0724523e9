import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { streamLines } from '../support/jsonLines.ts'
import { BLOCK_MUTANTS, BRIDGE } from './kinds.ts'
import { testRecorded } from './recordedTests.ts'

/** The folder of the repository, also where RHIZOME_VECTORS names another. */
const COMMITTED = fileURLToPath(new URL('recorded', import.meta.url))

t.test('every committed file has all of its lines', async (t) => {
  const lines = JSON.parse(readFileSync(join(COMMITTED, 'lines.json'), 'utf8')) as Record<string, number>
  const files = readdirSync(COMMITTED, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.zst'),
  )
  const found: Record<string, number> = {}
  for (const name of files) found[name] = await countLines(join(COMMITTED, name))
  t.same(found, lines)
})

// The vectors of the Bridge need a program of the native workspace: bridge.test.ts has them. Mutants take as long as
// all others together: mutants.test.ts has them.
testRecorded(t, (kind) => kind !== BRIDGE && kind !== BLOCK_MUTANTS)

async function countLines(path: string): Promise<number> {
  let count = 0
  for await (const { text } of streamLines(path)) if (text.trim() !== '') count += 1
  return count
}
