import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../../support/sources.ts'
import { changed } from '../../support/testBuild.ts'
import { FAULT_KINDS } from './faultKinds.ts'
import { PLANTED_FAULTS } from './plantedFaults.ts'

t.test('every planted fault still finds what it breaks, and faults under which it shows', (t) => {
  t.ok(PLANTED_FAULTS.length >= 10)
  for (const { name, off, under } of PLANTED_FAULTS) {
    const files = new Map(off.map(({ file }) => [file, readFileSync(join(ROOT, 'src', file), 'utf8')]))
    for (const change of off) {
      const before = files.get(change.file)
      files.set(change.file, changed(files, change))
      t.not(files.get(change.file), before, `${name}: src/${change.file}`)
    }
    for (const part of under)
      t.ok(
        FAULT_KINDS.some((kind) => kind.name.includes(part)),
        `${name}: ${part}`,
      )
  }
  t.end()
})
