import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LAYERS } from '../../bench/overload/layers.ts'
import { ROOT } from '../support/sources.ts'
import { changed } from '../support/testBuild.ts'
import { ATTACK_CASES } from './long/attacks.ts'
import { OF_ALL } from './long/networkBuild.ts'

t.test('every switch still finds what it switches off', (t) => {
  for (const { name, off } of [...ATTACK_CASES, { name: 'all', off: OF_ALL }, ...LAYERS]) {
    t.ok(off.length > 0, `${name} has a switch`)
    const files = new Map(off.map(({ file }) => [file, readFileSync(join(ROOT, 'src', file), 'utf8')]))
    for (const change of off) {
      const before = files.get(change.file)
      files.set(change.file, changed(files, change))
      t.not(files.get(change.file), before, `${name}: src/${change.file}`)
    }
  }
  t.end()
})
