import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readText } from '../support/jsonLines.ts'
import { BRIDGE } from './kinds.ts'
import { testRecorded } from './recordedTests.ts'

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

// The vectors of the Bridge need a program of the native workspace: bridge.test.ts has them.
testRecorded(t, (kind) => kind !== BRIDGE)
